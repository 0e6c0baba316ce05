"""The tests: a package, so that no library that installs one of this name hides it."""
