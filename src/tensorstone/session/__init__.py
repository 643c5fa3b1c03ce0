"""What a person can ask for, each in a module of its own, and the order in which things happen.

`asking` makes requests of a person's words, `entries` makes programs and environments ready,
`proving` compares programs with the oracle, `comparing` and `training` time those that passed,
`running` keeps a run in the ledger, `assembling` and `reading` make results of what is kept.
"""
