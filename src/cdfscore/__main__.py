"""``cdfscore`` and ``python -m cdfscore``: the command line."""

import gc
import os
import sys
from importlib.util import cache_from_source, find_spec
from pathlib import Path
from typing import Any

# Objects made between two searches for cycles of garbage: with Python's 700, a tenth of the time of
# a short command is spent in searching what its imports have made.
_SEARCHED = 50_000
# What may say how many threads OpenBLAS has. It waits in a loop with those that it does not need.
_THREADS = {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"}


def main() -> None:
    """Run the command line; Ctrl-C is answered in one sentence from the first import on."""
    gc.set_threshold(_SEARCHED)
    # Arrow's own pool takes 20 MB more, and no less time.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    if _THREADS.isdisjoint(os.environ):
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
    sys.unraisablehook = _interrupt_again
    is_shown = sys.stderr is not None and sys.stderr.isatty() and not sys.dont_write_bytecode
    pandas = find_spec("pandas") if is_shown else None
    if pandas and pandas.origin and not Path(cache_from_source(pandas.origin)).exists():
        sys.stderr.write("cdfscore: the first call takes longer: Python compiles libraries\n")
    try:
        from cdfscore.cli import main as run

        run()
    except KeyboardInterrupt as error:
        sys.stderr.write(f"cdfscore: {'; '.join(['interrupted', *error.args])}\n")
        sys.exit(130)
    finally:
        sys.unraisablehook = sys.__unraisablehook__  # ours needs modules, which end before objects
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
