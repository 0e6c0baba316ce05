"""Text that labels of systems and topics go into."""

from __future__ import annotations


def printable(text: str) -> str:
    """Escape what no line of text may hold, such as a line break."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(text))
