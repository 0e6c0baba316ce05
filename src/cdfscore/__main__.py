"""``python -m cdfscore``: the command line."""

from cdfscore.cli import main

main()
