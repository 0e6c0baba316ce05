"""Merging in R too: every scheme, method and option agrees, and what is wrong is found."""

import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore.errors import VerificationError
from cdfscore.retrieval.merging import Merged, Samples, TermStatistics
from cdfscore.retrieval.merging import in_r as merged
from cdfscore.retrieval.merging.in_r import verify_merge
from cdfscore.stats.schemes.base import parse_scheme, scheme_names
from tests.suited import suited

pytestmark = pytest.mark.usefixtures("rinterface")

TOPICS = ("7", "8", "9", "10")
SOURCES = ("a", "b", "c", "d")
Lists = dict[str, dict[str, dict[str, float]]]


def lists_of(
    seed: int, *, common: bool, score: Callable[[np.random.Generator], float] | None = None
) -> Lists:
    """Lists of 12 to 20 documents, or as many as are common; ids beyond ASCII, topics turned."""
    rng = np.random.default_rng(seed)
    found: Lists = {}
    for source in SOURCES:
        found[source] = {}
        for topic in rng.permutation(TOPICS).tolist():
            if (source, topic) == ("b", "8"):  # no list
                continue
            name = "d" if common else source
            ids = [f"{name}{'éﬀD~'[i % 4]}{i}" for i in rng.permutation(24)]
            found[source][topic] = {
                each: rng.integers(1, 400) / 400 if score is None else score(rng)
                for each in ids[: rng.integers(12, 20)]
            }
    return found


def check(*arguments: Any, **settings: Any) -> pd.DataFrame:
    table = verify_merge(*arguments, **settings)
    assert table["agrees"].all(), table.loc[~table["agrees"]].T
    return table.set_index("quantity")


@pytest.mark.clause("verify_merge.1", "merge.1")
@pytest.mark.one_in(8)
@pytest.mark.parametrize("scheme", scheme_names())
def test_every_scheme_agrees(scheme: str) -> None:
    own = parse_scheme(scheme)
    lists = lists_of(3, common=False, score=None)
    for source in lists.values():
        for topic, scores in source.items():
            values = suited(own, np.array(list(scores.values())))
            source[topic] = dict(zip(scores, values.tolist(), strict=True))
    table = check(lists, normalize=own, unfitted="drop_list")
    assert table.loc["merged score", "allowed_ulp"] == own.tolerance.ulp
    assert table.loc["merged score", "count"] > 100
    assert table.loc["rank", "count"] > 0


def test_why_r_leaves_a_list_out_is_a_note() -> None:
    lists = {"a": {"1": {"d1": 3.0, "d2": 1.0}, "2": {"d1": 2.0, "d3": -1.0}}}
    lists["b"] = {"1": {"d7": 0.5, "d9": 0.2}, "2": {"d7": 0.3, "d8": 0.2}}
    table = verify_merge(lists, normalize="gamma", unfitted="drop_list")
    assert table["agrees"].all()
    assert table.attrs["notes"][-1] == "R stops on list 1 of topic 2: a reference score is below 0"
    weights = pd.DataFrame(1.0, index=["1", "2"], columns=["a", "b"])
    again = verify_merge(lists, normalize="gamma", unfitted="drop_list", weights=weights)
    assert again.attrs["notes"] == table.attrs["notes"]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("depth", [1, 5, 100])
@pytest.mark.parametrize("constant", ["limit", "half"])
def test_depths_and_constant_lists_agree(depth: int, constant: str) -> None:
    lists = lists_of(6, common=False)
    lists["a"]["7"] = dict.fromkeys(lists["a"]["7"], 0.25)
    lists["c"]["9"] = {"one": 3.0}
    for scheme in ("minmax", "empirical"):
        check(lists, normalize=scheme, depth=depth, constant=constant)


SIZES = [0.0, -0.0, 1.0, 1 + 1e-9, 1 - 1e-9, -2.5, 1e39, 2e39, -1e39, 1e-50]


@pytest.mark.parametrize("scheme", ["raw", "minmax"])
def test_ties_and_scores_that_single_precision_cannot_tell_agree(scheme: str) -> None:
    lists = lists_of(7, common=True, score=lambda rng: float(rng.choice(SIZES)))
    check(lists, normalize=scheme, depth=8, duplicates="best")


def selection(seed: int) -> pd.DataFrame:
    values = np.random.default_rng(seed).random((len(TOPICS), len(SOURCES)))
    values[1, 1] = np.nan  # not searched
    values[2] = 0.4  # all equal
    return pd.DataFrame(values, index=TOPICS, columns=SOURCES)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("lam", [0, 0.4, 7.5, 1e300, math.inf])
def test_weights_agree(lam: float) -> None:
    lists = lists_of(8, common=False)
    turned = selection(8)[list(SOURCES[::-1])].iloc[::-1]
    table = check(lists, selection=turned, lam=lam)
    assert table.loc["weight", ["count", "allowed_ulp"]].tolist() == [15, 0]
    assert list(table.index) == ["weight", "merged score", "rank"]
    check(lists, weights=selection(8).fillna(0.0), normalize="empirical")


STATISTICS = TermStatistics.of(
    {
        source: {f"w{i}": int(k) for i, k in enumerate(row)}
        for source, row in zip(
            SOURCES, np.random.default_rng(9).integers(0, 300, (4, 6)), strict=True
        )
    },
    dict(zip(SOURCES, (900, 10_000, 55, 70_000), strict=True)),
)
QUERIES = {"7": "w1 w2 none", "8": ["w0"], "9": "w3 w3 w5", "10": "w4"}


@pytest.mark.clause("cori.1", "selection_weights.1")
@pytest.mark.parametrize("lam", [0.4, math.inf])
def test_cori_agrees(lam: float) -> None:
    lists = lists_of(9, common=False)
    table = check(lists, statistics=STATISTICS, queries=QUERIES, lam=lam)
    assert list(table.index) == ["selection score", "weight", "merged score", "rank"]
    assert table.loc["selection score", "count"] == 16
    assert table.loc["selection score", "max_ulp"] <= 16


@pytest.mark.clause("round_robin.1", "rrf.1")
@pytest.mark.parametrize("common", [False, True])
@pytest.mark.parametrize("depth", [None, 5])
def test_merging_by_ranks_agrees(common: bool, depth: int | None) -> None:
    lists = lists_of(10, common=common)
    for method, settings in (("round_robin", {}), ("rrf", {}), ("rrf", {"k": 0.5})):
        table = check(lists, method, depth=depth, **settings)
        assert (table["max_ulp"] == 0).all()


def safe_case(seed: int) -> tuple[Lists, dict[str, dict[str, float]], Samples]:
    rng = np.random.default_rng(seed)
    lists = lists_of(seed, common=False)
    every = {s: sorted({d for own in lists[s].values() for d in own}) for s in SOURCES}
    sampled = {s: rng.permutation(own)[:9].tolist() for s, own in every.items()}
    documents = [each for own in sampled.values() for each in own]
    broker = {}
    for topic in TOPICS:
        mean = {d: lists[s].get(topic, {}).get(d, 0.0) for s in SOURCES for d in sampled[s]}
        broker[topic] = {d: mean[d] + rng.integers(0, 300) / 1000 for d in documents}
    broker["7"] |= dict.fromkeys(sampled["a"], 0.1)  # equal, by rounding of means not quite
    return lists, broker, Samples.of(sampled, {s: 24.0 + i for i, s in enumerate(SOURCES)})


@pytest.mark.clause("safe.1", "safe.2")
@pytest.mark.parametrize("seed", [11, 12])
@pytest.mark.parametrize("depth", [None, 8])
def test_safe_agrees(seed: int, depth: int | None) -> None:
    lists, broker, samples = safe_case(seed)
    settings: Any = {"sample_run": broker, "samples": samples, "unfitted": "drop_list"}
    table = check(lists, "safe", depth=depth, **settings)
    assert table.loc["merged score", "count"] > 40


R_FILES = {
    "merging.R": [
        ("single(lists$score)", "lists$score", {"normalize": "raw"}),
        (
            "decreasing = c(FALSE, FALSE, TRUE, TRUE)",
            "decreasing = c(FALSE, FALSE, TRUE, FALSE)",
            {},
        ),
        ("lists$rank <= depth", "lists$rank < depth", {}),
        ("length(each), max)", "length(each), min)", {"duplicates": "best"}),
        ("decreasing = TRUE)", "decreasing = FALSE)", {"duplicates": "sum"}),
    ],
    "weights.R": [("1 + lambda * m", "1 + lambda * m * m", {"selection": selection(8)})],
    "cori.R": [("150 * cw", "149 * cw", {"statistics": STATISTICS, "queries": QUERIES})],
    "rank_based.R": [("k + lists$rank", "k + lists$rank - 1", {"method": "rrf"})],
    "safe.R": [("(j - 0.5)", "j", {"method": "safe"})],
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "right", "wrong", "settings"),
    [(name, *each) for name, own in R_FILES.items() for each in own],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_an_error_in_a_file_of_r_is_found(
    name: str,
    right: str,
    wrong: str,
    settings: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "merging"
    shutil.copytree(merged._FOLDER, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    text = (folder / name).read_text(encoding="utf-8")
    assert text.count(right) >= 1
    (folder / name).write_text(text.replace(right, wrong), encoding="utf-8")
    monkeypatch.setattr(merged, "_FOLDER", folder)
    lists = lists_of(7, common=True, score=lambda rng: float(rng.choice(SIZES[:6])))
    given: Any = {"depth": 8, "duplicates": "sum"}
    if settings.get("method") == "rrf":
        given = {"depth": 8}
    if settings.get("method") == "safe":
        lists, broker, samples = safe_case(11)
        given = {"sample_run": broker, "samples": samples, "unfitted": "drop_list"}
    try:
        table = verify_merge(lists, **{**given, **settings})
    except VerificationError as error:
        assert "expected the same documents" in str(error)  # noqa: PT017
    else:
        assert not table["agrees"].all()


@pytest.mark.clause("verify_merge.1")
def test_an_error_in_python_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = lists_of(4, common=False)
    right = merged.METHODS["merge"]

    @wraps(right)
    def wrong(*arguments: Any, **settings: Any) -> Merged:
        found = right(*arguments, **settings)
        scores = found.pool.scores.copy()
        scores[7] = np.nextafter(scores[7], 2)
        return replace(found, parts=(replace(found.pool, scores=scores),))

    monkeypatch.setattr(merged, "METHODS", {"merge": wrong})
    table = verify_merge(lists)
    assert list(table.loc[~table["agrees"], "quantity"]) == ["merged score"]
    assert table["max_ulp"].tolist() == [1, 0]

    shorter = wraps(right)(lambda *a, **s: right(*a, **{**s, "depth": 11}))
    monkeypatch.setattr(merged, "METHODS", {"merge": shorter})
    with pytest.raises(VerificationError, match=r"^only R has document .* expected the same docum"):
        verify_merge(lists)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "fuse"}, "method='fuse' is not accepted; expected one of merge, safe, round_r"),
        (
            {"method": "rrf", "selection": selection(8)},
            "method='rrf' does not use selection; expec",
        ),
        ({"statistics": STATISTICS}, "^statistics is given; expected statistics and queries, or"),
        ({"queries": QUERIES}, "^queries is given; expected statistics and queries"),
        (
            {"statistics": STATISTICS, "queries": QUERIES, "selection": selection(8)},
            "^statistics and queries and selection are given; expected",
        ),
        ({"selection": selection(8), "weights": selection(8)}, "^selection and weights are given"),
        ({"keep": 10}, "^keep=10 is not accepted; all documents are compared"),
    ],
    ids=lambda each: str(each)[:30],
)
def test_arguments_that_would_not_be_used_are_refused(settings: Any, message: str) -> None:
    with pytest.raises(VerificationError, match=message):
        verify_merge(lists_of(4, common=False), **settings)
