"""What was proven and measured, as frozen values: what packages hand each other, what the ledger
keeps and `--json` prints. Imports nothing of ours.

`codec` is the one way in and out; `metrics` the table of everything that is measured.
"""
