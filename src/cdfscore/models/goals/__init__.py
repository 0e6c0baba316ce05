"""Goals for the number of topics of a collection, such as the power of a test; one file each."""

import lazy_loader

# The list of the goals stands in __init__.pyi.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
