"""p values of many tests, corrected for their number."""

from cdfscore.comparison.adjustment import METHODS, adjust, check_method

__all__ = ["METHODS", "adjust", "check_method"]
