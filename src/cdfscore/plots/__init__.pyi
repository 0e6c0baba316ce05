from .volcano import plot_volcano as plot_volcano
