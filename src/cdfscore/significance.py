"""Significance tests, by a short name; their files are in `cdfscore.stats.significance`."""

from cdfscore.stats import significance as _significance

__getattr__, __dir__, __all__ = (
    _significance.__getattr__,
    _significance.__dir__,
    _significance.__all__,
)
