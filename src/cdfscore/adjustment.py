"""Corrections for many tests, under the name that scripts import them by."""

from __future__ import annotations

from cdfscore.comparison.adjustment import METHODS as METHODS
from cdfscore.comparison.adjustment import adjust as adjust
