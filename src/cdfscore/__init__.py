"""cdfscore: read scores through a cumulative distribution function fitted to their topic.

y = F_t(x): choose a distribution F for the scores of topic t, fit it on reference systems,
and read off where a score x lies.
"""

import lazy_loader

# The names are in __init__.pyi, for editors and type checkers; each is imported at first use.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

#: It is written into every file of factors.
__version__ = "0.1.0"
