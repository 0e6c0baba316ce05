"""The note and the status of a stand-alone script if its test stops on every sample."""

from __future__ import annotations

from collections.abc import Iterable

#: Start of the line with the reason, on standard error.
_NOTE = "note: the test has no number, as it stops: "
_IN_R = 'if (nzchar(attr(tested, "stopped")))'
#: Lines of the script after the test, for the note.
NOTE = f"""{_IN_R}
  message("{_NOTE}", gsub("[[:space:]]+", " ", attr(tested, "stopped")))"""
#: Its last line, for the status, which comes after the numbers so that they are written.
STATUS = f'{_IN_R} quit(save = "no", status = 1)\n'


def reason_in(said: Iterable[str]) -> str:
    """Return the reason from the lines of a script on standard error, "" if there is none.

    Examples
    --------
    >>> reason_in(["R version 4.2.2", "note: the test has no number, as it stops: not enough x"])
    'not enough x'
    """
    return next((line.removeprefix(_NOTE) for line in said if line.startswith(_NOTE)), "")
