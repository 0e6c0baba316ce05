"""Schemes: one Python file and one R twin each, and their common contract.

A scheme is imported when it is asked for, as by ``from cdfscore.stats.schemes import Normal``.
"""

import lazy_loader

# __init__.pyi has the list of the schemes.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
