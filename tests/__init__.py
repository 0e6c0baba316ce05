"""The tests: a package, so that no library that installs one of this name hides it."""

from hypothesis import settings

#: A tenth of the usual number of examples, for a property that takes 0.03 s for each.
A_TENTH = settings(max_examples=settings().max_examples // 10)
