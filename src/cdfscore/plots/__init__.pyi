from .critical_difference import plot_critical_difference as plot_critical_difference
from .means import plot_means as plot_means
from .pairs import plot_pairs as plot_pairs
from .rank_gap import plot_rank_gap as plot_rank_gap
from .schemes import plot_schemes as plot_schemes
from .sensitivity import plot_sensitivity as plot_sensitivity
from .slope import plot_slope as plot_slope
from .volcano import plot_volcano as plot_volcano
