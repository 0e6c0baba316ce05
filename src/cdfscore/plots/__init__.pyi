from .dkw import plot_dkw as plot_dkw
from .mapping import plot_mapping as plot_mapping
from .per_topic import plot_per_topic as plot_per_topic
from .pit_histogram import plot_pit as plot_pit
from .scores import plot_scores as plot_scores
from .standardized import plot_standardized as plot_standardized
from .volcano import plot_volcano as plot_volcano
