"""Families whose maximum of the likelihood is found by Newton's method from our estimate."""

from __future__ import annotations

from mpmath import mp, mpf

from cdfscore.stats.numerics.types import Array
from validation.campaign.truth.base import Parameters, exact, phi, without_spread
from validation.campaign.truth.newton import DIGITS_OF_DIFFERENCES, Refined, climbed


class BetaBinomial(Refined):
    every = 11

    def near(self, sample: list[mpf], fitted: dict[str, Array]) -> Parameters:
        size, n = self.scheme.size, len(sample)
        if fitted["spread"][0] == 0:
            return {"mean": sample[0], "rho": mpf(0), "spread": mpf(0)}
        k = [int(mp.nint(size * s)) for s in sample]
        mean, rho = (exact(fitted[name])[0] for name in ("mean", "rho"))
        if rho in (0, 1):
            mean = mpf(sum(k)) / (n * size)
        else:
            counts = {v: k.count(v) for v in set(k)}

            def value(m: mpf, r: mpf) -> mpf:
                logs = _log_probabilities(size, m, r)
                return mp.fsum(c * logs[v] for v, c in counts.items())

            mean, rho = climbed(value, [mean, rho])
        return {"mean": mean, "rho": rho, "spread": mpf(k[-1] - k[0]) / size}

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        if p["spread"] == 0:
            return without_spread(x, p["mean"])
        size = self.scheme.size
        if x < 0 or x >= 1:
            return mpf(int(x > 0))
        k = min(size, int(mp.floor(size * (x + mpf("1e-12")))))
        return mp.fsum(mp.exp(v) for v in _log_probabilities(size, p["mean"], p["rho"])[: k + 1])


def _log_probabilities(size: int, mean: mpf, rho: mpf) -> list[mpf]:
    p, q = mean * (1 - rho), (1 - mean) * (1 - rho)
    log = lambda v: mp.log(v) if v > 0 else -mp.inf  # noqa: E731
    ups, downs = [mpf(0)], [mpf(0)]
    for i in range(size):
        ups.append(ups[-1] + log(p + i * rho))
        downs.append(downs[-1] + log(q + i * rho))
    total = mp.fsum(mp.log(1 - rho + i * rho) for i in range(size))
    return [
        mp.log(mp.binomial(size, k)) + ups[k] + downs[size - k] - total for k in range(size + 1)
    ]


class _Scaled(Refined):
    """A family that is fitted to the scores less their mean, in units of their spread."""

    def moments(self, sample: list[mpf]) -> tuple[mpf, mpf, list[mpf]]:
        n = len(sample)
        mean = mp.fsum(sample) / n
        spread = mp.sqrt(mp.fsum((s - mean) ** 2 for s in sample) / n)
        return mean, spread, [(s - mean) / spread for s in sample] if spread > 0 else []


class Mixture(_Scaled):
    names = ("weight", "mean_1", "sd_1", "mean_2", "sd_2")

    def near(self, sample: list[mpf], fitted: dict[str, Array]) -> Parameters:
        center, spread, u = self.moments(sample)
        w, m1, s1, m2, s2 = (exact(fitted[name])[0] for name in self.names)
        if sample[0] == sample[-1]:
            center, spread = sample[0], mpf(0)
        if spread == 0 or (m1 == m2 and s1 == s2):
            found = (w, center, spread, center, spread)
            return dict(zip(self.names, found, strict=True))
        n = len(u)

        def value(w: mpf, m1: mpf, s1: mpf, m2: mpf, s2: mpf) -> mpf:
            total = -n * mp.log(2 * mp.pi) / 2
            for v in u:
                first = w / s1 * mp.exp(-(((v - m1) / s1) ** 2) / 2)
                total += mp.log(first + (1 - w) / s2 * mp.exp(-(((v - m2) / s2) ** 2) / 2))
            return total - mp.fsum(s**-2 + 2 * mp.log(s) for s in (s1, s2)) / n

        start = [w, (m1 - center) / spread, s1 / spread, (m2 - center) / spread, s2 / spread]
        w, m1, s1, m2, s2 = climbed(value, start)
        found = (w, center + spread * m1, spread * s1, center + spread * m2, spread * s2)
        return dict(zip(self.names, found, strict=True))

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        if p["sd_1"] == 0:
            return without_spread(x, p["mean_1"])
        first, second = (phi((x - p[f"mean_{k}"]) / p[f"sd_{k}"]) for k in (1, 2))
        return p["weight"] * first + (1 - p["weight"]) * second


class JohnsonSu(_Scaled):
    names = ("location", "scale", "skew", "tail")

    def near(self, sample: list[mpf], fitted: dict[str, Array]) -> Parameters:
        center, spread, u = self.moments(sample)
        ours = [exact(fitted[name])[0] for name in self.names]
        if sample[0] == sample[-1]:
            return dict(zip(self.names, (sample[0], mpf(0), *ours[2:]), strict=True))
        start = [(ours[0] - center) / spread, ours[1] / spread, ours[2], ours[3]]
        free = [0, 1] + [j for j in (2, 3) if ours[j] != 0]  # the others are at a limit

        def value(*moved: mpf) -> mpf:
            full = list(start)
            for j, v in zip(free, moved, strict=True):
                full[j] = v
            location, scale, skew, tail = full
            total = penalty = mpf(0)
            for score in u:
                v = (score - location) / scale
                b2 = scale**2 * ((1 - skew * v) ** 2 + tail * v**2)
                total -= johnson_z(v, skew, tail) ** 2 / 2 + mp.log(b2) / 2
                penalty += 1 / b2 + mp.log(b2)
            return total - penalty / len(u) ** 2

        for j, v in zip(free, climbed(value, [start[j] for j in free]), strict=True):
            start[j] = v
        found = (center + spread * start[0], spread * start[1], start[2], start[3])
        return dict(zip(self.names, found, strict=True))

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        if p["scale"] == 0:
            return without_spread(x, p["location"])
        v = (x - p["location"]) / p["scale"]
        with mp.workdps(DIGITS_OF_DIFFERENCES):
            return phi(johnson_z(v, p["skew"], p["tail"]))


def johnson_z(v: mpf, skew: mpf, tail: mpf) -> mpf:
    """Return z(v), infinite beyond the end of a lognormal distribution."""
    if tail == 0:
        if skew == 0:
            return v
        rest = 1 - skew * v
        return -mp.log(rest) / skew if rest > 0 else mp.sign(v) * mp.inf
    t, root = mp.sqrt(skew**2 + tail), mp.sqrt(tail)
    return (mp.asinh((t * t * v - skew) / root) + mp.asinh(skew / root)) / t
