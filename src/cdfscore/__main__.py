"""``python -m cdfscore``: the command line."""

from cdfscore.cli import main

if __name__ == "__main__":
    main()
