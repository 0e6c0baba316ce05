"""Sums, means and standard deviations with the bits of R, on any machine.

R adds from left to right in the C type ``long double``, which on x86 processors has 64 significant
bits. `numpy.longdouble` has that format on x86 with a C library that has it too; elsewhere it is
another type, and for many scores it is slow. Here numbers are pairs of doubles:

`rows` and `few` add rows almost exactly, with what bounds R's roundings: the same sums, compiled
for many scores, and by NumPy for few, which are not worth the import of numba. Where
every number within the bound rounds to the same double, that is R's. `rows`, `few` (by
`numpy.longdouble`, if it has 64 bits) and `whole_numbers` repeat the additions of the other rows,
each with its rounding to 64 bits.
"""
