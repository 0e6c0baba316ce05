"""The maximum of a likelihood near our estimate, by Newton's method."""

from __future__ import annotations

from collections.abc import Callable

from mpmath import mp, mpf

from validation.campaign.truth.base import Parameters, Truth

# Derivatives are differences over 1e-25, among more digits.
DIGITS_OF_DIFFERENCES = 100
STEPS = 20


def climbed(value: Callable[..., mpf], start: list[mpf]) -> list[mpf]:
    """Return the maximum near `start`, by Newton's method."""
    with mp.workdps(DIGITS_OF_DIFFERENCES):
        theta, h, d = list(start), mpf(10) ** -25, len(start)

        def at(*moves: tuple[int, int]) -> mpf:
            moved = list(theta)
            for j, sign in moves:
                moved[j] += sign * h
            return value(*moved)

        for _ in range(STEPS):
            here, slopes, bends = at(), mp.matrix(d, 1), mp.matrix(d, d)
            up, down = [at((j, 1)) for j in range(d)], [at((j, -1)) for j in range(d)]
            for j in range(d):
                slopes[j] = (up[j] - down[j]) / (2 * h)
                bends[j, j] = (up[j] - 2 * here + down[j]) / h**2
                for i in range(j):
                    both = at((i, 1), (j, 1)) - up[i] - up[j] + here
                    bends[i, j] = bends[j, i] = both / h**2
            step = mp.lu_solve(bends, -slopes)
            theta = [a + b for a, b in zip(theta, step, strict=True)]
            if max(abs(b) for b in step) < mpf(10) ** -25:  # the next would be its square
                return theta
    raise ArithmeticError(f"the likelihood was not maximized in {STEPS} steps")


class Refined(Truth):
    shared = False
    limited = False
    every = 101  # as a fit takes seconds; 101 is prime, so that all kinds of samples have turns

    def parameters(self, sample: list[mpf]) -> Parameters:
        raise TypeError("the maximum is found from an estimate")
