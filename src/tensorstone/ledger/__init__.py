"""The store of everything measured, raw samples included."""

from tensorstone.ledger.ledger import Cell, Ledger
from tensorstone.ledger.recorder import Recorder

__all__ = ["Cell", "Ledger", "Recorder"]
