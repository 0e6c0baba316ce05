"""Comparison of systems: tests of all pairs, corrections, letters, choice of a scheme."""

from cdfscore.comparison.comparison import Comparison as Comparison
from cdfscore.comparison.comparison import compare as compare
from cdfscore.comparison.correlation import Correlation as Correlation
from cdfscore.comparison.reference_uncertainty import ReferenceUncertainty as ReferenceUncertainty
from cdfscore.comparison.sensitivity import ConclusionGrid as ConclusionGrid
