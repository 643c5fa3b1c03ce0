"""tensorstone: the Rosetta Stone and the referee of deep-learning frameworks."""

__version__ = "0.1.0"
