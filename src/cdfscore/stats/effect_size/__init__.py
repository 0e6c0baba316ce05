"""Effect sizes of the difference of two systems: one Python file and one R twin each."""

import lazy_loader

# The list of the effect sizes stands in __init__.pyi.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
