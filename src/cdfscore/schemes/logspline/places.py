"""Places of numbers that are packed into arrays, by their names.

A compiled function takes an array in less time than several numbers that it fills in.
"""

#: Of a polynomial of the third degree, and of its values and slopes at a knot.
VALUE, SLOPE, COEFFICIENTS = 0, 1, 4
#: Of the moments of a tail, the integrals of w^power against the density.
MASS, FIRST, SECOND, MOMENTS = 0, 1, 2, 3
#: Powers of u that are integrated over a piece: a product of two cubics has degree 6.
POWERS = 7
