"""Results merging: one ranked list from the lists of several sources.

The document scores of each list are normalized, y = F(s), with F fitted to the list only. They can
be weighted by how well the source fits the topic; see Markov, Linear Score Normalization Revisited.
"""

import lazy_loader

# The list of the public names stands in __init__.pyi.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
