"""Factors and their files, under the name that scripts import them by."""

from __future__ import annotations

from cdfscore.standardization.factors import Factors as Factors
from cdfscore.standardization.formats import *  # noqa: F403
