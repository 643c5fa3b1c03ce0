"""The version of tensorstone itself."""

VERSION = "0.1.0"
