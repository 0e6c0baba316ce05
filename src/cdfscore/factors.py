"""Factors and their files under another module name, for code that imports `cdfscore.factors`."""

from __future__ import annotations

from cdfscore.standardization.factors import Factors as Factors
from cdfscore.standardization.formats import *  # noqa: F403
