"""The published workloads, one small file each; `load.names()` lists them, `load.find()` opens one.

A file is called as its workload with underscores, and defines `workload`. It says where the
workload was published (P0 to P3 and R are public comparisons, by the name of their repository),
what was published, what was left out there and what was chosen instead.
"""
