"""Sums with the 64 significant bits of R's ``long double``, on any machine; see `moments`."""
