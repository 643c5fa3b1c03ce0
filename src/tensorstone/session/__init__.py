"""From workloads and dialects to cells: make ready, prove, time, rank, keep.

The one room that knows all the others. `entries` makes programs and environments ready, `proving`
puts them before the oracle, `comparing` races those that passed, `cells` is what comes out.
"""
