"""What can be read of the machine and of a worker from outside, one gauge a file.

Each reads what the system already counts and starts nothing. Where a machine does not have it, or
does not show it to this user, a gauge answers None: never a guess, never an exception.
"""
