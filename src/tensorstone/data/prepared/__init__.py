"""From a kept set to what a workload trains on: one file for each family of data."""
