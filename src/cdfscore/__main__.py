"""``cdfscore`` and ``python -m cdfscore``: the command line."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C is answered in one word from the first import on."""
    try:
        from cdfscore.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("cdfscore: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
