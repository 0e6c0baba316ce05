"""Uncertainty from the reference systems, leave-one-out scores, and the band of E-std."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd

from cdfscore import CdfscoreWarning, compare, dkw_band, leave_one_out, parse_scheme
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.significance import one_sample_t, paired_t
from validation.coverage.cells import (
    Cell,
    Generator,
    covered,
    generators,
    proportion,
    ratio,
    sampled,
)

LEFT_OUT, UNCERTAIN, TRUE, BANDS = 2_000, 2_000, 10_000, 10_000
LEVEL, ALPHA = 0.95, 0.05
RESAMPLES = 200
#: Of two compared systems, how much better they are than the mean of all systems.
MOVES = np.array([0.5, 0.0])


def crossed(rng: Generator, topics: int, references: int) -> tuple[Array, Array]:
    """Return raw scores of the two compared systems, and of new reference systems, on new topics.

    Scores are effects of topics, of systems, and normal residuals of sd 1; those of systems have
    sd 0.7. The two compared systems are the same in all data sets, `MOVES` above the mean.
    """
    of_topics = rng.normal(size=(topics, 1))
    new = of_topics + MOVES + rng.normal(size=(topics, 2))
    systems = 0.7 * rng.normal(size=references)
    return new, of_topics + systems + rng.normal(size=(topics, references))


def frame(scores: Array, prefix: str) -> pd.DataFrame:
    topics = pd.Index([f"t{i}" for i in range(len(scores))], name="topic")
    return pd.DataFrame(
        scores, index=topics, columns=[f"{prefix}{i}" for i in range(scores.shape[1])]
    )


def of_reference_uncertainty() -> Iterator[Cell]:
    """Intervals of means and differences by new topics and new reference systems.

    The truth is the expectation for so many topics and reference systems, both drawn anew. Where
    the compared systems are reference systems themselves, they stay in the reference.
    """
    for scheme, references, topics, members in (
        ("normal", 5, 25, False),
        ("normal", 15, 25, False),
        ("empirical", 15, 25, False),
        ("minmax", 15, 25, False),
        ("normal", 15, 25, True),
        ("empirical", 15, 25, True),
    ):
        design = f"{topics} topics, {references} other reference systems, {scheme}"
        design += ", with the compared systems" * members
        true = np.mean(
            [
                by(*crossed(rng, topics, references), scheme, members).mean(axis=0)
                for rng in generators(f"truth {topics} {references}", TRUE)
            ],
            axis=0,
        )
        means, pairs = [], []
        squares: dict[str, list[tuple[float, float]]] = {"mean": [], "difference": []}
        for k, rng in enumerate(generators(f"crossed {topics} {references}", UNCERTAIN)):
            new, reference = crossed(rng, topics, references)
            others = frame(reference, "r")
            with warnings.catch_warnings(action="ignore", category=CdfscoreWarning):
                found = compare(
                    frame(new, "s"),
                    "paired_t",
                    scheme=scheme,
                    reference=frame(new, "s").join(others) if members else others,
                    reference_uncertainty=RESAMPLES,
                    seed=k,
                ).uncertainty
            assert found is not None
            mean, pair = found.means.iloc[0], found.pairs.iloc[0]
            means.append((mean["both_low"], mean["both_high"]))
            pairs.append((pair["both_low"], pair["both_high"]))
            off = mean["mean"] - true[0], pair["difference"] - true[0] + true[1]
            squares["mean"].append((mean["stderr_both"] ** 2, off[0] ** 2))
            squares["difference"].append((pair["stderr_both"] ** 2, off[1] ** 2))
        low, high = np.transpose(means)
        yield covered("reference uncertainty, mean", design, LEVEL, low, high, true[0])
        for name, values in squares.items():
            quantity = f"reference uncertainty, variance of {name} / true variance"
            yield ratio(quantity, design, 1.0, np.array(values))
        low, high = np.transpose(pairs)
        yield covered(
            "reference uncertainty, difference", design, LEVEL, low, high, true[0] - true[1]
        )


def by(new: Array, reference: Array, scheme: str, members: bool) -> Array:
    """Return the scores of new systems by their reference systems, which may include them."""
    together = np.hstack([new, reference]) if members else reference
    return np.asarray(parse_scheme(scheme).fit(together)(new))


def of_leave_one_out() -> Iterator[Cell]:
    """Tests and intervals of scores by factors without the system that is scored."""
    for scheme in ("normal", "empirical"):
        for systems, topics in ((5, 10), (10, 25)):
            every = sampled(
                f"one out {systems} {topics}",
                LEFT_OUT,
                lambda rng, t=topics, s=systems: rng.normal(size=(t, s)),
            )
            # Each topic is scored by itself.
            left = leave_one_out(frame(every.reshape(-1, systems), "s"), scheme)
            y = left.to_numpy().reshape(every.shape)
            design = f"{topics} topics, {systems} systems, {scheme}"
            p = paired_t(y[..., 0], y[..., 1]).p_value
            yield proportion("leave-one-out, p of paired_t", design, ALPHA, p <= ALPHA)
            # Of E-std, R / (n - 1) of n - 1 others; both are symmetric about 1/2.
            found = one_sample_t(y[..., 0])
            yield covered(
                "leave-one-out, mean", design, LEVEL, found.conf_low, found.conf_high, 0.5
            )


def of_band() -> Iterator[Cell]:
    """The band of Dvoretzky, Kiefer and Wolfowitz contains the whole distribution."""
    for n in (3, 10, 50):
        # F(x) = x is nearest to the band at the scores, and just below them.
        x = np.sort(sampled(f"band {n}", BANDS, lambda rng, k=n: rng.random(k)), axis=1)
        at = np.concatenate([x, np.nextafter(x, -1)], axis=1)
        yield proportion("dkw_band", f"{n} scores, continuous", LEVEL, _inside(x, at))
        x = sampled(f"ties of a band {n}", BANDS, lambda rng, k=n: rng.integers(1, 6, k) / 5)
        at = np.broadcast_to(np.arange(6) / 5, (BANDS, 6))
        yield proportion("dkw_band", f"{n} scores of 5 values", LEVEL, _inside(x, at))


def _inside(scores: Array, at: Array) -> BoolArray:
    low, high = dkw_band(scores, at, LEVEL)
    found: BoolArray = ((low <= at) & (at <= high)).all(axis=1)
    return found
