"""Conversion of values to JSON."""

from __future__ import annotations

import math


def plain(value: object) -> object:
    """Replace NaN by null and infinite numbers by "Infinity", and make keys text."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    return value
