"""Which systems differ: tests of all pairs, corrections, letters, and the choice of a scheme."""

from cdfscore.comparison.comparison import Comparison as Comparison
from cdfscore.comparison.comparison import compare as compare
