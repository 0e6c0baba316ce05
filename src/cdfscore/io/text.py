"""Text with labels of systems and topics."""

from __future__ import annotations


def printable(text: str) -> str:
    """Escape characters that a line of text cannot hold, such as a line break."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(text))
