"""No model depends on the unit of the scores, or on what is added to all scores of a topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from cdfscore.errors import ModelError
from cdfscore.models import (
    anova,
    as_replicates,
    d_study,
    g_study,
    mixed_model,
    plan,
)
from cdfscore.models.anova import SumsType
from cdfscore.models.mixed import Estimation
from cdfscore.stats.numerics.types import Array
from tests.models.designs import RAW

PARTS = pd.DataFrame({"system": list("uvwxyz"), "a": list("pppqqr"), "b": list("mnmnmn")})

pytestmark = pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")


@dataclass(frozen=True)
class Numbers:
    """Results by what a unit 2^k and an offset c do to them.

    `free` do not change, `means` are multiplied by 2^k and get c, `lengths` are multiplied by 2^k,
    and `squares` by 4^k. `of_topics` are free numbers that topics with other offsets change.
    """

    free: Mapping[str, Any] = field(default_factory=dict)
    means: Mapping[str, Any] = field(default_factory=dict)
    lengths: Mapping[str, Any] = field(default_factory=dict)
    squares: Mapping[str, Any] = field(default_factory=dict)
    of_topics: Mapping[str, Any] = field(default_factory=dict)


Model = Callable[[Array, int], Numbers]


def framed(scores: Array) -> pd.DataFrame:
    topics = pd.Index([f"t{i}" for i in range(len(scores))], name="topic")
    return pd.DataFrame(scores, index=topics, columns=PARTS["system"].tolist())


def by_anova(formula: str, kind: SumsType, *terms: str) -> Model:
    def model(scores: Array, _: int) -> Numbers:
        found = anova(framed(scores), formula, PARTS, sums_of_squares=kind, schemes=[RAW])
        table = found.table.set_index("term")
        shown = ["statistic", "p_value", "partial_eta_squared", "partial_omega_squared"]
        own = table[[*shown, "effect_low", "effect_high"]]
        with_topic = own.index.str.contains("topic") | ("topic" not in formula)
        checks = found.checks().set_index("check")[["size", "statistic", "p_value"]]
        free, means, lengths = {"tests": own[~with_topic]}, {}, {}
        for term in terms:
            table_of_means, pairs = found.means(term), found.contrasts(term)
            free[f"pairs of {term}"] = pairs[["statistic", "p_value", "p_adjusted"]]
            means[term] = table_of_means[["mean", "conf_low", "conf_high"]]
            lengths[term] = table_of_means["stderr"]
            lengths[f"pairs of {term}"] = pairs[["estimate", "stderr", "conf_low", "conf_high"]]
        squares = {"squares": table.loc[~table.index.str.contains("topic"), "sum_of_squares"]}
        if "topic" not in formula:
            squares, lengths, free = {}, {}, {}
        return Numbers(free, means, lengths, squares, {"tests": own, "checks": checks})

    return model


def by_mixed(formula: str, *random: str, method: Estimation = "REML") -> Model:
    def model(scores: Array, _: int) -> Numbers:
        given: Any = framed(scores)
        if "topic:system" in random:
            long = framed(scores).melt(ignore_index=False, var_name="slot", value_name="score")
            long = long.reset_index().dropna()
            long["system"] = long["slot"].map(dict(zip("uvwxyz", "uuvvww", strict=True)))
            long["shard"] = long["slot"].map(dict(zip("uvwxyz", "121212", strict=True)))
            given = as_replicates(long.drop(columns="slot"), "shard")
        found = mixed_model(
            given, formula, PARTS, random=["topic", *random], method=method, schemes=[RAW]
        )
        term = formula.split()[2]
        pairs, means = found.contrasts(term), found.means(term)
        shown = ["df_error", "statistic", "p_value"]
        of_pairs = pairs[["df", "statistic", "p_value", "p_adjusted"]]
        # An effect of topics that is random tells differences between them from those within.
        return Numbers(
            {},
            {"means": means[["mean", "conf_low", "conf_high"]]},
            {"pairs": pairs[["estimate", "stderr"]], "stderr": means["stderr"],
             "sd": found.variances["sd"]},
            {"variances": found.variances[["variance", "conf_low", "conf_high"]]},
            {"tests": found.table[shown], "pairs": of_pairs,
             "proportion": found.variances["proportion"]},
        )  # fmt: skip

    return model


def by_g_study(scores: Array, _: int) -> Numbers:
    study = g_study(framed(scores), RAW)
    found = d_study(study, [5, 50], [0.5, 0.9])
    relative = [name for name in found.reliability if name.startswith("relative")]
    own = study.components.drop(index="topic")
    return Numbers(
        {"relative": found.reliability[relative], "topics": found.topics_needed[relative]},
        {},
        {},
        {"components": own[["mean_square", "variance"]]},
        {"all": found.reliability, "needed": found.topics_needed},
    )


def by_plan(goal: str, setting: str = "") -> Model:
    def model(scores: Array, k: int) -> Numbers:
        spelled = goal + (f",{setting}={np.ldexp(4.0, k)!r}" if setting else "")
        found = plan(framed(scores), spelled.replace("np.float64(", "").replace(")", ""), check=100
                     if setting else 0)  # fmt: skip
        check = [found.check.value, found.check.stderr] if found.check else []
        numbers = {"value": np.array([found.value, *check])}
        everything = {"topics": found.topics}
        if setting == "width":
            return Numbers(everything, {}, numbers)
        if goal.startswith(("one_way", "dependability")):
            return Numbers(of_topics=everything | numbers)
        return Numbers(everything | numbers)

    return model


MODELS: dict[str, Model] = {
    "type I": by_anova("score ~ topic + a + b", "I"),
    "type I, topics last": by_anova("score ~ a + b + topic", "I", "a"),
    "type II": by_anova("score ~ topic + a * b", "II"),
    "type III": by_anova("score ~ topic + a + b", "III", "a", "b"),
    "systems": by_anova("score ~ topic + system", "III", "system"),
    "interaction with topic": by_anova("score ~ topic * b + a", "III", "a"),
    "without topics": by_anova("score ~ a", "III", "a"),
    "mixed": by_mixed("score ~ a"),
    "mixed, topic:a": by_mixed("score ~ a", "topic:a"),
    "mixed, topic:a and topic:b": by_mixed("score ~ b + a", "topic:a", "topic:b"),
    "mixed, ML": by_mixed("score ~ system", method="ML"),
    "mixed, replicates": by_mixed("score ~ system", "topic:system"),
    "g_study": by_g_study,
    "paired_t": by_plan("paired_t:power=0.9", "difference"),
    "one_way": by_plan("one_way:power=0.9", "difference"),
    "two_way": by_plan("two_way:power=0.9", "difference"),
    "interval": by_plan("interval:alpha=0.1", "width"),
    "generalizability": by_plan("generalizability:reliability=0.7"),
    "dependability": by_plan("dependability:reliability=0.3"),
}
#: Models in which topics have no effects, or random ones: they compare topics.
OF_TOPICS = {name for name in MODELS if name.startswith("mixed")}
OF_TOPICS |= {"type I, topics last", "without topics", "one_way", "dependability"}
#: A plan refuses scores whose squares are near the ends of the doubles.
PLANS = {"paired_t", "one_way", "two_way", "interval", "generalizability", "dependability"}
#: A scale, an offset of all scores, offsets of topics: numbers that keep the scores exact.
CHANGES = ["unit", "offset", "topics"]
CASES = [
    (name, change)
    for name in MODELS
    for change in CHANGES
    if not (change == "topics" and name in OF_TOPICS)
]


#: Seeds with which a number was once changed.
EARLIER = {("mixed, replicates", "offset"): [71]}


class Input(NamedTuple):
    scores: Array
    changed: Array
    k: int
    c: float


def drawn(name: str, change: str, seed: int) -> Input:
    """Return scores that are multiples of 1/8, and the same in another unit or with offsets."""
    rng = np.random.default_rng([seed, list(MODELS).index(name), CHANGES.index(change)])
    topics = int(rng.integers(6, 14))
    scores = rng.integers(-24, 25, (topics, 6)) + rng.integers(-24, 25, (topics, 1))
    scores = (scores + rng.integers(-4, 5, 6) * rng.integers(1, 6)) / 8
    if name not in PLANS and seed % 2:
        missing = rng.random(scores.shape) < 0.2
        missing[:, :2] = missing[:2] = False
        scores[missing] = np.nan
    k, c, offsets = 0, 0.0, np.zeros((topics, 1))
    if change == "unit":
        ends = rng.integers(-1018, -400), rng.integers(-400, 400), rng.integers(400, 1018)
        k = int(ends[1] if name in PLANS else rng.choice(ends))
    elif change == "offset":
        c = float(rng.integers(-(2**45), 2**45)) / 8 * 2.0 ** -rng.integers(0, 40)
        c = float(np.round(8 * c) / 8)
    else:
        offsets = rng.integers(-(2**40), 2**40, (topics, 1)) / 8
    changed = np.ldexp(scores, k) + c + offsets
    exact = zip(
        scores.ravel(), changed.ravel(), np.broadcast_to(offsets, scores.shape).ravel(), strict=True
    )
    assert all(
        np.isnan(x) or Fraction(y) == Fraction(x) * Fraction(2) ** k + Fraction(c) + Fraction(own)
        for x, y, own in exact
    )
    return Input(scores, changed, k, c)


def outcome(name: str, scores: Array, k: int) -> Numbers | str:
    try:
        return MODELS[name](scores, k)
    except ModelError as error:
        return str(error)


def differences(name: str, change: str, seed: int) -> list[str]:
    """Return what the change of the scores changes, and should not."""
    given = drawn(name, change, seed)
    before, after = outcome(name, given.scores, 0), outcome(name, given.changed, given.k)
    if isinstance(before, str) or isinstance(after, str):
        return [] if before == after else [f"{before} | {after}"]
    found = []
    kinds = ["free", "lengths", "squares"]
    kinds += ["of_topics", "means"] if change != "topics" else []
    for kind in kinds:
        own = getattr(before, kind)
        for label, one in own.items():
            x = np.asarray(one, dtype=np.float64)
            y = np.asarray(getattr(after, kind)[label], dtype=np.float64)
            allowed: Any = 0.0
            with np.errstate(over="ignore", under="ignore"):
                x = np.ldexp(x, {"lengths": 1, "means": 1, "squares": 2}.get(kind, 0) * given.k)
            if kind == "means":
                # Both sides are rounded, and so is their mean without c.
                largest = np.maximum(np.maximum(np.abs(x), np.abs(y)), abs(given.c))
                x, allowed = x + given.c, 2 * np.spacing(largest)
            # A number below the smallest normal double is rounded again.
            allowed = np.maximum(allowed, np.where(np.abs(x) < 2.0**-1020, 2.0**-1073, 0.0))
            same = (x == y) | (np.isnan(x) & np.isnan(y))
            with np.errstate(invalid="ignore"):
                same |= np.abs(x - y) <= allowed
            if x.shape != y.shape or not same.all():
                found.append(f"{kind} {label}: {x[~same]} | {y[~same]}")
    return found


@pytest.mark.clause("anova.1", "mixed_model.2", "g_study.1", "pilot.1")
@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "change"), CASES)
def test_units_and_offsets_change_no_test(name: str, change: str) -> None:
    seeds = [0, 1, *EARLIER.get((name, change), [])]
    assert {seed: own for seed in seeds if (own := differences(name, change, seed))} == {}


@pytest.mark.clause("mixed_model.2", "mixed_model.3")
@pytest.mark.one_in(3)
@pytest.mark.parametrize("size", [2**20, 2**30, 2**37])
@pytest.mark.parametrize("random", [[], ["topic:a"], ["topic:a", "topic:b"]])
@pytest.mark.parametrize("seed", range(2))
def test_topics_far_apart_leave_differences_within_them(
    seed: int, random: list[str], size: int
) -> None:
    """As with fixed topics; with a random interaction, as with topics that are twice as far."""
    scores = drawn("mixed", "topics", seed).scores
    offsets = np.random.default_rng(seed).integers(-size, size, (len(scores), 1))
    found, other = (
        mixed_model(
            framed(scores + each), "score ~ a", PARTS, random=["topic", *random], schemes=[RAW]
        )
        for each in (offsets, 2 * offsets)
    )
    shown = ["statistic", "p_value"]
    expected, pairs = other.table[shown], other.contrasts("a")
    if not random:
        fixed = anova(framed(scores), "score ~ topic + a", PARTS, schemes=[RAW])
        expected, pairs = fixed.table.iloc[1:2][shown], fixed.contrasts("a")
    # The variance of topics is not infinite: what it leaves of them is about 1 / size.
    rtol, atol = 1e-9 + 4 / size, 1e-9 + 1 / size
    np.testing.assert_allclose(found.table[shown], expected, rtol=rtol)
    for name in ("estimate", "stderr", "statistic", "p_value"):
        np.testing.assert_allclose(found.contrasts("a")[name], pairs[name], rtol=rtol, atol=atol)


@pytest.mark.clause("anova.3")
def test_topics_far_apart_hide_no_difference() -> None:
    """By rational arithmetic: 1,000 topics up to 2^30, two systems 0.0045 +- 0.007 apart."""
    rng = np.random.default_rng(0)
    base = rng.integers(0, 2**30, 1000).astype(np.float64)
    apart = np.round(rng.normal(0.0045, 0.007, 1000) * 2**20) / 2**20
    base[0] += 0.5  # whole numbers that differ could be labels of topics
    frame = pd.DataFrame({"u": base, "v": base + apart}, index=[f"t{i}" for i in range(1000)])
    d = [Fraction(v) - Fraction(u) for u, v in frame.to_numpy()]
    mean = sum(d) / len(d)
    f = len(d) * mean**2 / (sum((each - mean) ** 2 for each in d) / (len(d) - 1))
    row = anova(frame, "score ~ topic + system").table.set_index("term").loc["system"]
    assert row["statistic"] == pytest.approx(float(f), rel=1e-13)
    assert row["p_value"] < 1e-70
    found = mixed_model(frame, "score ~ system").table.iloc[0]
    assert found["statistic"] == pytest.approx(float(f), rel=1e-9)
    study = g_study(frame).components["mean_square"]
    assert study["system"] / study["system:topic"] == pytest.approx(float(f), rel=1e-13)
