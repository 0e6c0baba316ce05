"""Python imports this at its start: note which files of numba's cache are read."""

import os
import sys
from pathlib import Path

_FOLDER, _LOG = os.environ["FAULTS_FOLDER"], Path(os.environ["FAULTS_COUNTED"])
_LOG.write_text("")


def _look(event, arguments):
    if event == "open" and str(arguments[0]).startswith(_FOLDER):
        path = str(arguments[0])
        if path.endswith(".nbc") and not arguments[2] & (os.O_WRONLY | os.O_RDWR):
            with _LOG.open("a") as log:
                log.write(path + "\n")


sys.addaudithook(_look)
