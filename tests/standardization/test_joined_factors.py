"""Factors of several collections as one set."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import (
    Standardizer,
    compare,
    datasets,
    load_factors,
    parse_scheme,
    save_factors,
    scheme_names,
)
from cdfscore.errors import FactorsError
from tests.cli.conftest import cdfscore as cdfscore
from tests.suited import suited

AP = datasets.load_cranfield("ap").iloc[:40, :15].clip(0.01, 0.99)
AP.iloc[5] = 0.4


@pytest.mark.clause("factors.5")
@pytest.mark.parametrize("scheme", [name for name in scheme_names() if name != "raw"])
def test_y_of_a_topic_is_that_of_its_set(scheme: str, tmp_path: Path) -> None:
    scores = suited(parse_scheme(scheme), AP)
    parts = scores[:25], scores[25:]
    how = Standardizer(scheme, unfitted="nan")
    # The second set has fewer systems, and thus shorter samples.
    sets = how.fit(parts[0]), how.fit(parts[1].iloc[:, :12])
    joined = sets[0].joined(sets[1])
    expected = [each.transform(part) for each, part in zip(sets, parts, strict=True)]
    pd.testing.assert_frame_equal(joined.transform(scores), pd.concat(expected), check_exact=True)
    save_factors(joined, tmp_path / "f.json")
    again = load_factors(tmp_path / "f.json").transform(scores)
    pd.testing.assert_frame_equal(again, pd.concat(expected), check_exact=True)


@pytest.mark.clause("factors.5")
@pytest.mark.parametrize(
    ("other", "fragment"),
    [
        (Standardizer("z").fit(AP[25:]), "scheme normal and scheme z cannot be joined"),
        (Standardizer("normal").fit(AP[20:]), "in two sets of factors"),
        (Standardizer("normal", missing="omit").fit(AP[25:]), "missing raise and missing omit"),
        (Standardizer("normal").fit(AP[25:], measure="P@10"), "measure AP and measure P@10"),
        (replace(Standardizer("normal").fit(AP[25:]), positions=15), "without labels of topics"),
    ],
)
def test_sets_that_do_not_go_together_are_refused(other: Any, fragment: str) -> None:
    with pytest.raises(FactorsError, match=fragment):
        Standardizer("normal").fit(AP[:25]).joined(other)


@pytest.mark.clause("factors.5")
@pytest.mark.parametrize(
    ("first", "change", "fragment"),
    [
        (AP[:25].iloc[:, :3], 1, "with 3 reference systems, fewer than 10"),
        (AP[:25].iloc[:, :2], 1, "2 reference systems: on each topic"),
        (AP[:25], 100, "scores are outside of the range of the reference scores"),
        (AP[:25].round(1), 1, "the reference scores are multiples of 1/10"),
    ],
    ids=["three", "two", "percent", "grid"],
)
@pytest.mark.parametrize("last", [False, True])
def test_each_set_has_its_cautions(
    first: pd.DataFrame, change: float, fragment: str, last: bool, tmp_path: Path
) -> None:
    """Those that the scores of its topics have without the other sets, in memory and in a file."""
    normal, new = Standardizer("normal"), AP.iloc[:, 10:] * change
    others = [normal.fit(AP[25:33] * change), normal.fit(AP[33:] * change)]
    alone, (one, two) = normal.fit(first), others
    joined = one.joined(two).joined(alone) if last else alone.joined(one.joined(two))
    (expected,) = (each for each in alone.standardize(new[:25]).cautions if fragment in each)
    save_factors(joined, tmp_path / "f.json")
    for factors in (joined, load_factors(tmp_path / "f.json")):
        found = factors.standardize(new).cautions
        assert found == [f"on 25 topics (1, 2, 3, 4, 5, ...), {expected}"]
        of_others = factors.standardize(new[25:]).cautions
        assert not any(fragment in caution for caution in of_others)


@pytest.mark.clause("factors.5")
def test_the_systems_of_all_sets_are_counted() -> None:
    normal = Standardizer("normal")
    few, many, same = normal.fit(AP[:10].iloc[:, :12]), normal.fit(AP[10:20]), normal.fit(AP[20:])
    assert few.joined(many).number_of_systems == "12 and 15 systems"
    assert few.joined(many, same).number_of_systems == "12 and 15 systems"
    assert many.joined(same).number_of_systems == "15 systems"
    assert replace(few, systems=None).joined(many).number_of_systems == ""
    assert "fitted to 12 and 15 systems" in few.joined(many).to_markdown()
    found = compare(AP[:20], "paired_t", scheme=few.joined(many))
    assert found.reference == "12 and 15 systems"


@pytest.mark.clause("factors.5")
@pytest.mark.parametrize("lower", [True, ("26", "27")])
def test_only_sets_with_reversed_topics_reflect(lower: Any) -> None:
    up = Standardizer("normal").fit(AP[:25])
    down = Standardizer("normal", lower_is_better=lower, reflect_at=1.0).fit(AP[25:])
    expected = pd.concat([up.transform(AP[:25]), down.transform(AP[25:])])
    for joined in (up.joined(down), down.joined(up)):
        assert joined.reflect_at == 1.0
        pd.testing.assert_frame_equal(joined.transform(AP), expected, check_exact=True)
    other = Standardizer("normal", lower_is_better=True, reflect_at=2.0).fit(AP[:25])
    with pytest.raises(FactorsError, match=r"reflect_at 2.0 and reflect_at 1.0 cannot be joined"):
        other.joined(down)


@pytest.mark.clause("factors.5")
def test_a_file_has_the_sets(tmp_path: Path) -> None:
    """With topics that were dropped, topics without a fit, and topics where lower is better."""
    scores = AP.copy()
    scores.loc["3", :] = np.nan
    scores.loc["31", :] = 0.5
    how: dict[str, Any] = {"missing": "drop_topic", "unfitted": "nan"}
    up = Standardizer("johnson_su", **how).fit(scores[:12])
    how["reflect_at"] = 1.0
    down = Standardizer("johnson_su", **how, lower_is_better=True).fit(scores[12:35].iloc[:, :11])
    more = Standardizer("johnson_su", **how, lower_is_better=["38"]).fit(scores[35:])
    joined = up.joined(down, more)
    save_factors(joined, tmp_path / "f.json")
    loaded = load_factors(tmp_path / "f.json")
    assert loaded.number_of_systems == joined.number_of_systems == "15 and 11 systems"
    for own, again in zip(joined.sets, loaded.sets, strict=True):
        for name in ("topics", "dropped", "unfitted_topics", "systems", "scale", "reflect_at"):
            assert getattr(own, name) == getattr(again, name), name
        assert own.lower_is_better == again.lower_is_better
        assert np.array_equal(own.n, again.n)
        part = scores.loc[list(own.topics)]
        pd.testing.assert_frame_equal(own.transform(part), again.transform(part), check_exact=True)
    save_factors(loaded, tmp_path / "g.json")
    assert (tmp_path / "g.json").read_bytes() == (tmp_path / "f.json").read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda sets: "both", "'sets' is 'both'; expected a list of objects"),
        (lambda sets: ["a"], "set 1 of 'sets' is 'a'; expected an object"),
        (lambda sets: sets[:1], "'sets' have other topics than the factors"),
        (lambda sets: sets[::-1], "'sets' have other topics than the factors"),
        (lambda sets: [{**sets[0], "topics": 1}], "'topics' of set 1 is 1; expected a list of tex"),
        (lambda sets: [{**sets[0], "dropped": ["3"]}, sets[1]], "'sets' have other dropped"),
        (lambda sets: [sets[0], {"topics": []}], "there is no 'dropped' of set 2"),
        (lambda sets: [{**sets[0], "scale": {}}, sets[1]], "'scale' is {}; expected 'low' and"),
        (lambda sets: [{**sets[0], "lower_is_better": ["x"]}, sets[1]], "no topic 'x'"),
    ],
)
def test_a_file_with_other_sets_is_refused(change: Any, message: str, tmp_path: Path) -> None:
    normal, path = Standardizer("normal"), tmp_path / "f.json"
    save_factors(normal.fit(AP[:25]).joined(normal.fit(AP[25:])), path)
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "sets": change(document["sets"])}))
    with pytest.raises(FactorsError, match=re.escape(message)):
        load_factors(path)


def test_files_of_factors_are_joined_by_a_command(
    cdfscore: Callable[..., Any], tmp_path: Path
) -> None:
    how = Standardizer("normal")
    paths = [tmp_path / f"{name}.json" for name in "fg"]
    for path, part in zip(paths, (AP[:25], AP[25:]), strict=True):
        save_factors(how.fit(part), path)
    AP.to_csv(tmp_path / "ap.csv")
    by = ("--factors", "f.json", "--factors", "g.json")
    done = cdfscore("compare", "ap.csv", *by, "--test", "paired_t", "-o", "joined.csv")
    assert done.status == 0, done.err
    cdfscore("compare", "ap.csv", "--scheme", "normal", "--test", "paired_t", "-o", "one.csv")
    found, expected = (pd.read_csv(tmp_path / f"{name}.csv") for name in ("joined", "one"))
    assert (found["p_value"] == expected["p_value"]).all()
    twice = cdfscore("compare", "ap.csv", *by[:2], *by[:2], "--test", "paired_t")
    assert (twice.status, "in two sets of factors" in twice.err) == (2, True)
