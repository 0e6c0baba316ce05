"""Parameters of maximum likelihood at 50 digits, by SciPy's names."""

from __future__ import annotations

from mpmath import mp, mpf

from validation.campaign.truth.base import Parameters

# The parameters that are held fixed where a distribution is defined here.
HELD: dict[str, set[str]] = {
    "norm": set(),
    "expon": set(),
    "uniform": set(),
    "logistic": set(),
    "lognorm": {"floc"},
    "gamma": {"floc"},
    "weibull_min": {"floc"},
    "beta": {"floc", "fscale"},
}


def _mean(values: list[mpf]) -> mpf:
    return mp.fsum(values) / len(values)


def _sd(values: list[mpf]) -> mpf:
    mean = _mean(values)
    return mp.sqrt(_mean([(v - mean) ** 2 for v in values]))


def norm(sample: list[mpf], loc: mpf, scale: mpf) -> Parameters:
    return {"loc": _mean(sample), "scale": _sd(sample)}


def expon(sample: list[mpf], loc: mpf, scale: mpf) -> Parameters:
    return {"loc": sample[0], "scale": _mean(sample) - sample[0]}


def uniform(sample: list[mpf], loc: mpf, scale: mpf) -> Parameters:
    return {"loc": sample[0], "scale": sample[-1] - sample[0]}


def lognorm(sample: list[mpf], loc: mpf, scale: mpf) -> Parameters:
    logs = [mp.log(s - loc) for s in sample]
    return {"s": _sd(logs), "loc": loc, "scale": mp.exp(_mean(logs))}


def gamma(sample: list[mpf], loc: mpf, scale: mpf) -> Parameters:
    moved = [s - loc for s in sample]
    mean = _mean(moved)
    right = mp.log(mean) - _mean([mp.log(s) for s in moved])
    a = mp.findroot(lambda a: mp.log(a) - mp.digamma(a) - right, 1 / (2 * right))
    return {"a": a, "loc": loc, "scale": mean / a}


def weibull_min(sample: list[mpf], loc: mpf, scale: mpf) -> Parameters:
    largest = sample[-1] - loc
    logs = [mp.log((s - loc) / largest) for s in sample]

    def slope(c: mpf) -> mpf:
        powers = [mp.exp(c * v) for v in logs]
        weighted = mp.fsum(p * v for p, v in zip(powers, logs, strict=True))
        return weighted / mp.fsum(powers) - 1 / c - _mean(logs)

    c = mp.findroot(slope, (mpf("0.01"), mpf(1000)), solver="anderson")
    return {"c": c, "loc": loc, "scale": largest * _mean([mp.exp(c * v) for v in logs]) ** (1 / c)}


def logistic(sample: list[mpf], loc: mpf, scale: mpf) -> Parameters:
    def slopes(location: mpf, scale: mpf) -> list[mpf]:
        u = [(s - location) / scale for s in sample]
        tanh = [mp.tanh(v / 2) for v in u]
        return [_mean(tanh), _mean([v * t for v, t in zip(u, tanh, strict=True)]) - 1]

    start = (_mean(sample), _sd(sample) * mp.sqrt(3) / mp.pi)
    return dict(zip(("loc", "scale"), mp.findroot(slopes, start), strict=True))


def beta(sample: list[mpf], loc: mpf, scale: mpf) -> Parameters:
    unit = [(s - loc) / scale for s in sample]
    left, right = _mean([mp.log(u) for u in unit]), _mean([mp.log1p(-u) for u in unit])
    mean = _mean(unit)
    size = mean * (1 - mean) / _sd(unit) ** 2 - 1

    def slopes(a: mpf, b: mpf) -> list[mpf]:
        both = mp.digamma(a + b)
        return [mp.digamma(a) - both - left, mp.digamma(b) - both - right]

    a, b = mp.findroot(slopes, (mean * size, (1 - mean) * size))
    return {"a": a, "b": b, "loc": loc, "scale": scale}
