"""From text to a number."""

from __future__ import annotations


def number(text: str) -> float | None:
    """Read a decimal number, or return None; no underscores, no digits of other scripts."""
    if not text.isascii() or "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None
