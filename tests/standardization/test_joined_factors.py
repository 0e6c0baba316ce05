"""Factors of several collections as one set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import (
    Standardizer,
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
def test_directions_and_topics_without_a_fit_are_kept() -> None:
    scores = AP.copy()
    scores.loc["3", :] = np.nan
    up = Standardizer("normal", missing="drop_topic").fit(scores[:20])
    down = Standardizer("normal", missing="drop_topic", lower_is_better=True).fit(scores[20:])
    joined = up.joined(down)
    assert joined.dropped == ("3",)
    assert len(joined.topics) == 39
    pd.testing.assert_frame_equal(
        joined.transform(scores),
        pd.concat([up.transform(scores[:20]), down.transform(scores[20:])]),
    )


@pytest.mark.clause("factors.5")
@pytest.mark.parametrize(
    ("other", "fragment"),
    [
        (Standardizer("z").fit(AP[25:]), "scheme normal and scheme z cannot be joined"),
        (Standardizer("normal").fit(AP[20:]), "in two sets of factors"),
        (Standardizer("normal", missing="omit").fit(AP[25:]), "missing raise and missing omit"),
        (Standardizer("normal").fit(AP[25:], measure="P@10"), "no measure and measure P@10"),
        (
            replace(Standardizer("normal").fit(AP[25:]), positions=15),
            "without labels of topics",
        ),
    ],
)
def test_sets_that_do_not_go_together_are_refused(other: Any, fragment: str) -> None:
    with pytest.raises(FactorsError, match=fragment):
        Standardizer("normal").fit(AP[:25]).joined(other)


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
