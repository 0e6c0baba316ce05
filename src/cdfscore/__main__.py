"""``cdfscore`` and ``python -m cdfscore``: the command line."""

import gc
import sys

# Objects made between two searches for cycles of garbage: with Python's 700, a tenth of the time of
# a short command is spent in searching what its imports have made.
_SEARCHED = 50_000


def main() -> None:
    """Run the command line; Ctrl-C is answered in one word from the first import on."""
    gc.set_threshold(_SEARCHED)
    try:
        from cdfscore.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("cdfscore: interrupted\n")
        sys.exit(130)
    finally:
        gc.freeze()  # nor is it searched at the end, where all memory is given back


if __name__ == "__main__":
    main()
