"""Text that labels of systems and topics go into."""

from __future__ import annotations

import csv
from collections.abc import Iterable


def printable(text: str) -> str:
    """Escape what no line of text may hold, such as a line break."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(text))


def delimited(rows: Iterable[Iterable[object]], delimiter: str) -> str:
    """Return rows as CSV with this delimiter, a line a row; cells with a line break are quoted."""
    lines = _Lines()
    csv.writer(lines, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return "".join(lines)


class _Lines(list[str]):
    r"""Rows that `csv` writes, each ending with \n.

    `csv` quotes a cell with a character of the end of its lines. Readers take \r for the end of
    a row, so it is written as a part of it.
    """

    def write(self, row: str) -> None:
        self.append(row.removesuffix("\r\n") + "\n")
