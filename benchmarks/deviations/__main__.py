"""`python -m benchmarks.deviations`"""

from benchmarks.deviations.table import main

if __name__ == "__main__":
    main()
