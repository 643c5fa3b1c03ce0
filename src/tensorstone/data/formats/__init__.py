"""The formats data sets come in, each read into canonical arrays. Nothing is ever unpickled."""
