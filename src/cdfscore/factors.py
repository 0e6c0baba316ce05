"""Factors and their files, under the module name that scripts import."""

from __future__ import annotations

from cdfscore.standardization.factors import Factors as Factors
from cdfscore.standardization.formats import *  # noqa: F403
