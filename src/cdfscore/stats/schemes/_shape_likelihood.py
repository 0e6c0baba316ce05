"""Maximum likelihood of the shapes of beta and gamma distributions, by Newton's method.

`scipy.stats` fits one sample at a time, in a millisecond, to 1e-8. What is left of log(mean) -
mean(log) where scores lie close together is added from terms e - log(1 + e), e = x / mean - 1.
"""

import math

import numpy as np

from cdfscore.stats.numerics.compiled import compiled

# From here on the asymptotic series have all the digits of a double.
_ASYMPTOTIC = 16.0
# The start is within a factor of 1000 for any scores, and a step at worst doubles a shape.
_MOST_STEPS = 200
# A step this small ends the search: the next one would be below the rounding errors.
_SMALL, _TINY = 1e-9, 4e-16


@compiled
def _log_minus_digamma(x):
    """D(x) = log(x) - digamma(x) for x > 0, near 1 / 2x for large x."""
    shift, steps = 0.0, 0
    y = x
    while y < _ASYMPTOTIC:
        shift += 1.0 / y
        y += 1.0
        steps += 1
    if steps:
        shift -= math.log1p(steps / x)
    r = 1.0 / (y * y)
    series = 1 / 240 - r * (1 / 132 - r * (691 / 32760 - r / 12))
    series = 1 / 12 - r * (1 / 120 - r * (1 / 252 - r * series))
    return shift + 0.5 / y + r * series


@compiled
def _trigamma_minus_reciprocal(x):
    """E(x) = trigamma(x) - 1 / x for x > 0, near 1 / 2x^2 for large x; it is -D'(x)."""
    shift = 0.0
    y = x
    while y < _ASYMPTOTIC:
        shift += 1.0 / (y * y * (y + 1.0))
        y += 1.0
    r = 1.0 / (y * y)
    series = 1 / 30 - r * (5 / 66 - r * (691 / 2730 - r * 7 / 6))
    series = 1 / 6 - r * (1 / 30 - r * (1 / 42 - r * series))
    return shift + 0.5 * r + r / y * series


@compiled
def _mean(row, reflected):
    n, total, rest = 0, 0.0, 0.0
    for x in row:
        if x == x:
            n += 1
            total += 1.0 - x if reflected else x
    mean = total / n
    for x in row:
        if x == x:
            rest += (1.0 - x if reflected else x) - mean
    return mean + rest / n, n


@compiled
def _gap(e, ratio):
    """e - log(1 + e), given 1 + e also as a ratio that is exact where it is small."""
    return e - (math.log1p(e) if abs(e) < 0.5 else math.log(ratio))


@compiled
def beta_shapes(scores):
    """Return the shapes of maximum likelihood, (k, 2), of rows in (0, 1), NaN for none."""
    shapes = np.full((len(scores), 2), np.nan)
    for k in range(len(scores)):
        row = scores[k]
        mean, n = _mean(row, False)
        # The smaller of the mean and its complement is the one that has all its digits.
        reflected = mean > 0.5
        small = _mean(row, reflected)[0]
        large = 1.0 - small
        gap_small, gap_large, squares = 0.0, 0.0, 0.0
        for x in row:
            if x == x:
                u, v = (1.0 - x, x) if reflected else (x, 1.0 - x)
                d = u - small
                gap_small += _gap(d / small, u / small)
                gap_large += _gap(-d / large, v / large)
                squares += d * d
        size = small * large / (squares / n) - 1.0
        if squares > 0.0 and size > 0.0:
            a, b = _beta_newton(small, large, gap_small / n, gap_large / n, size)
            shapes[k, 0], shapes[k, 1] = (b, a) if reflected else (a, b)
    return shapes


@compiled
def _beta_newton(m, c, gap_a, gap_b, size):
    """Solve digamma(a) - digamma(a + b) = log(m) - gap_a, and with b, c = 1 - m and gap_b."""
    s, share = size, 0.0
    a, b = m * s, c * s
    ga, gb = _beta_slopes(a, b, s, share, m / c, gap_a, gap_b)
    before = np.inf
    for _ in range(_MOST_STEPS):
        ea, eb, es = (
            _trigamma_minus_reciprocal(a),
            _trigamma_minus_reciprocal(b),
            _trigamma_minus_reciprocal(s),
        )
        # The matrix of second derivatives, its leading terms cancelled by hand.
        determinant = ea * a / (b * s) + eb * b / (a * s) + ea * eb - es * (s / (a * b) + ea + eb)
        ts = 1.0 / s + es
        da = ((a / (b * s) + eb - es) * ga + ts * gb) / determinant
        db = (ts * ga + (b / (a * s) + ea - es) * gb) / determinant
        promised = ga * da + gb * db
        length = 1.0
        while a + length * da <= 0.0 or b + length * db <= 0.0:
            length *= 0.5
        step = abs(da) / a + abs(db) / b
        for _ in range(60):
            new_s = s + length * (da + db)
            new_share = (share * s + length * (da * c / m - db)) / new_s
            new_a, new_b = m * (1.0 + new_share) * new_s, c * (1.0 - m / c * new_share) * new_s
            new_ga, new_gb = _beta_slopes(new_a, new_b, new_s, new_share, m / c, gap_a, gap_b)
            # Beyond the maximum along the step the slope is negative: not far beyond.
            if step < _SMALL or new_ga * da + new_gb * db >= -0.5 * promised:
                break
            length *= 0.5
        a, b, s, share, ga, gb = new_a, new_b, new_s, new_share, new_ga, new_gb
        if step <= _TINY or (step < _SMALL and step >= 0.5 * before):
            return a, b
        before = step
    return np.nan, np.nan


@compiled
def _beta_slopes(a, b, s, share, odds, gap_a, gap_b):
    ds = _log_minus_digamma(s)
    return (
        _log_minus_digamma(a) - ds - math.log1p(share) - gap_a,
        _log_minus_digamma(b) - ds - math.log1p(-odds * share) - gap_b,
    )


@compiled
def gamma_shapes(scores):
    """Return the shape of maximum likelihood and the mean for each row of scores > 0, or NaN."""
    shapes = np.full((len(scores), 2), np.nan)
    for k in range(len(scores)):
        row = scores[k]
        mean, n = _mean(row, False)
        total = 0.0
        for x in row:
            if x == x:
                total += _gap((x - mean) / mean, x / mean)
        if total > 0.0:
            shapes[k, 0], shapes[k, 1] = _gamma_newton(total / n), mean
    return shapes


@compiled
def _gamma_newton(gap):
    """Solve D(a) = gap by Newton's method for log D as a function of log a, nearly a line."""
    root = math.sqrt((gap - 3.0) * (gap - 3.0) + 24.0 * gap)
    a = (3.0 - gap + root) / (12.0 * gap)
    before = np.inf
    for _ in range(_MOST_STEPS):
        d = _log_minus_digamma(a)
        step = math.log1p((d - gap) / gap) * d / (a * _trigamma_minus_reciprocal(a))
        a *= math.exp(step)
        step = abs(step)
        if step <= _TINY or (step < _SMALL and step >= 0.5 * before):
            return a
        before = step
    return np.nan
