"""Rank correlation of systems: Kendall's tau, AP correlation and dRMSE.

x and y have shape (..., n), with one value per system; the result has shape (...).
"""

import lazy_loader

# The list of the coefficients stands in __init__.pyi.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
