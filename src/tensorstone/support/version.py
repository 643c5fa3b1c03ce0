"""The version of tensorstone itself."""

VERSION = "0.2.0"
