"""Figures of results: ``plot_x(result, ax=None)`` draws one panel, and returns its axes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
