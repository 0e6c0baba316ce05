"""Significance tests: one Python file and one R twin each.

A test is imported when it is asked for, as by ``from cdfscore.stats import paired_t``. What they
are made of, and what you need for a test of your own, is in `cdfscore.stats.significance.contract`.
"""

import lazy_loader

# The list of the tests stands in __init__.pyi.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
