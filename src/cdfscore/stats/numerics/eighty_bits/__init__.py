"""Sums, means and standard deviations with the bits of R, on any machine.

R adds from left to right in the C type ``long double``, of 64 significant bits on x86 processors;
`numpy.longdouble` is another type elsewhere. Here numbers are pairs of doubles: `rows`, compiled,
and `few`, by NumPy without numba, add rows almost exactly, with what bounds R's roundings. Where
every number within the bound rounds to the same double, that is R's. `rows` and `whole_numbers`
repeat the additions of the other rows, each with its rounding to 64 bits.
"""
