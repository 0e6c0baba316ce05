"""Text with labels of systems and topics."""

from __future__ import annotations

from collections.abc import Sequence

#: Number of names in a list for a message.
_SHOWN = 5


def printable(text: str) -> str:
    """Escape characters that a line of text cannot hold, such as a line break."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(text))


def listed(names: Sequence[str]) -> str:
    """List the first of the names, with an ellipsis for more than five.

    Examples
    --------
    >>> listed(list("abcdefg"))
    'a, b, c, d, e, ...'
    """
    return ", ".join([*names[:_SHOWN], "..."] if len(names) > _SHOWN else names)
