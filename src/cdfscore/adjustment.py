"""Corrections for many tests, under the module name that scripts import."""

from __future__ import annotations

from cdfscore.comparison.adjustment import METHODS as METHODS
from cdfscore.comparison.adjustment import adjust as adjust
