"""Mistakes made on purpose in emitted programs, and what the proof says of each.

deviation.py holds what a deviation is, edits/ the mistakes by topic, correct.py other ways to
compute the same numbers, nets.py the workloads, table.py the run, markdown.py the page.
"""
