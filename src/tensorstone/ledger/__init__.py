"""The store of everything proven and measured, raw samples included."""

from tensorstone.ledger.ledger import Ledger
from tensorstone.ledger.recorder import Recorder

__all__ = ["Ledger", "Recorder"]
