"""Effect sizes, by a short name; their files are in `cdfscore.stats.effect_size`."""

from cdfscore.stats import effect_size as _effect_size

__getattr__, __dir__, __all__ = _effect_size.__getattr__, _effect_size.__dir__, _effect_size.__all__
