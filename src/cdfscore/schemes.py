"""Schemes, by a short name; their files are in `cdfscore.stats.schemes`."""

from cdfscore.stats import schemes as _schemes

__getattr__, __dir__, __all__ = _schemes.__getattr__, _schemes.__dir__, _schemes.__all__
