"""`python -m tensorstone` is `stone`."""

from tensorstone.cli import main

if __name__ == "__main__":
    main()
