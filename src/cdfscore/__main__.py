"""``cdfscore`` and ``python -m cdfscore``: the command line."""

import gc
import os
import sys
from typing import Any

# Objects made between two searches for cycles of garbage: with Python's 700, a tenth of the time of
# a short command is spent in searching what its imports have made.
_SEARCHED = 50_000
# Where the user says nothing else. Arrow's own pool takes 20 MB more, and no less time. Threads of
# OpenBLAS wait in a loop for the small products of a command, and the number of cores must not
# change a digit.
_SETTINGS = {"ARROW_DEFAULT_MEMORY_POOL": "system", "OPENBLAS_NUM_THREADS": "1"}


def main() -> None:
    """Run the command line; Ctrl-C is answered in one sentence from the first import on."""
    gc.set_threshold(_SEARCHED)
    os.environ.update(_SETTINGS | os.environ)
    sys.unraisablehook = _interrupt_again
    try:
        from cdfscore.cli import main as run

        run()
    except KeyboardInterrupt as error:
        sys.stderr.write(f"cdfscore: {'; '.join(['interrupted', *error.args])}\n")
        sys.exit(130)
    finally:
        gc.freeze()  # nor is it searched at the end, where all memory is given back


def _interrupt_again(lost: Any) -> None:
    """Repeat a Ctrl-C that Python drops: in a callback, such as one of each import."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    import signal
    from threading import Thread, get_ident
    from time import sleep
    from traceback import walk_stack

    own, main_thread = sys._getframe(), get_ident()

    def again() -> None:
        while own in (frame for frame, _ in walk_stack(sys._current_frames()[main_thread])):
            sleep(0.01)
        if sys.platform == "win32":
            signal.raise_signal(signal.SIGINT)
        else:  # which ends a wait as well
            signal.pthread_kill(main_thread, signal.SIGINT)

    Thread(target=again, daemon=True).start()


if __name__ == "__main__":
    main()
