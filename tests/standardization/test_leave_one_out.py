"""Leave-one-out is the same as fitting without each system in turn, bit for bit."""

import re
from importlib import import_module
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import Standardizer, datasets, leave_one_out
from cdfscore.errors import (
    ConstantTopicError,
    FactorsError,
    FitError,
    MissingScoreError,
    SchemeError,
    ScoresError,
)
from cdfscore.standardization.leave_one_out import left_out
from tests import a_tenth

#: That each family gives a row of a batch the bits that it has alone is in the contract.
SCHEMES = [
    *("raw", "z", "sum", "minmax", "uniform:A=0.3", "normal", "exponential", "from_scipy"),
    *("empirical", "empirical:convention=mid,position=blom", "kernel", "kernel:bandwidth=0.1"),
]


def matrix(topics: int = 4, systems: int = 9, seed: int = 3) -> pd.DataFrame:
    """Scores in (0, 1) of one decimal, as a grid needs them, the last tied with the first."""
    values = np.random.default_rng(seed).integers(1, 10, (topics, systems)) / 10
    values[:, -1] = values[:, 0]
    names = [f"s{i}" for i in range(systems)]
    return pd.DataFrame(values, index=[str(301 + i) for i in range(topics)], columns=names)


def one_by_one(scores: pd.DataFrame, scheme: str, **policies: str) -> pd.DataFrame:
    """Fit without each system, and standardize it, one call a system."""
    columns = [
        Standardizer(scheme, **policies).fit(scores.drop(columns=name)).transform(scores[[name]])
        for name in scores.columns
    ]
    return pd.concat(columns, axis=1)


@pytest.mark.clause("leave_one_out.1")
@pytest.mark.one_in(4)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_is_fitting_without_each_system(scheme: str) -> None:
    scores = matrix(2, 5) if scheme == "from_scipy" else matrix()
    found = leave_one_out(scores, scheme)
    pd.testing.assert_frame_equal(found, one_by_one(scores, scheme), check_exact=True)


@pytest.mark.clause("leave_one_out.1")
@pytest.mark.parametrize("policy", ["limit", "half", "nan", "urbano2019", "matters"])
def test_policies_are_for_each_sample_of_the_others(policy: str) -> None:
    scores = matrix(3, 4)
    scores.iloc[0] = [0.5, 0.5, 0.5, 0.7]  # constant without s3 alone
    scores.iloc[1] = 0.25
    scores.iloc[2] = [0.1, 0.2, 0.3, 0.4]
    found = leave_one_out(scores, Standardizer("normal", policy))
    pd.testing.assert_frame_equal(found, one_by_one(scores, "normal", constant=policy))
    at = {"limit": 1.0, "half": 0.5, "nan": np.nan}
    if policy in at:
        np.testing.assert_equal(found.iloc[0, 3], at[policy])
    cells = left_out(scores, Standardizer("normal", policy)).constant_cells
    assert cells.tolist() == [[False, False, False, True], [True] * 4, [False] * 4]
    assert cells.dtype == bool


@pytest.mark.clause("leave_one_out.1", "constant.2")
@pytest.mark.parametrize("scheme", ["normal", "empirical", "raw"])
def test_topics_with_a_constant_sample_are_dropped(scheme: str) -> None:
    scores = matrix(3, 4)
    scores.iloc[0] = [0.5, 0.5, 0.5, 0.7]  # constant without s3 alone
    scores.iloc[1] = 0.25
    scores.iloc[2] = [0.1, 0.2, 0.3, 0.4]
    left = left_out(scores, Standardizer(scheme, "drop_topic"))
    pd.testing.assert_frame_equal(left.scores, leave_one_out(scores.iloc[[2]], scheme))
    assert any("5 cells where the others' scores are equal" in note for note in left.notes)
    with pytest.raises(FactorsError, match="no topic remains"):
        leave_one_out(scores.iloc[:2], Standardizer(scheme, "drop_topic"))


def test_blocks_of_any_size_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = matrix(5, 7)
    scores.iloc[1, 1] = np.nan
    how = Standardizer("normal", missing="omit")
    whole = leave_one_out(scores, how)
    for block in (1, 6, 13, 100):
        module = import_module("cdfscore.standardization.leave_one_out")
        monkeypatch.setattr(module, "_BLOCK", block)
        found = leave_one_out(scores, how)
        pd.testing.assert_frame_equal(found, whole, check_exact=True)


@pytest.mark.clause("leave_one_out.1")
@a_tenth
@given(st.integers(3, 30), st.integers(0, 2**32 - 1))
def test_how_a_system_changes_its_own_score(systems: int, seed: int) -> None:
    """Its z is nearer to 0 by (n - 1) / n sqrt((n - 1) / (n - 2)) or more, and its E-std is larger.

    From s^2 (n - 1) = (n - 2) s_other^2 + (n - 1) / n (x - mean_other)^2.
    """
    scores, n = matrix(2, systems, seed), systems
    z, z_other = (
        np.abs(found.to_numpy())
        for found in (Standardizer("z").fit_transform(scores), leave_one_out(scores, "z"))
    )
    finite = np.isfinite(z_other)
    most = (n - 1) / n * np.sqrt((n - 1) / (n - 2))
    assert most < 1
    assert (z[finite] <= z_other[finite] * most * (1 + 1e-9) + 1e-12).all()
    y = Standardizer("empirical").fit_transform(scores).to_numpy()
    assert (y >= leave_one_out(scores, "empirical").to_numpy()).all()


@pytest.mark.clause("leave_one_out.1")
@pytest.mark.usefixtures("rinterface")
def test_r_has_the_same_numbers(rinterface: ModuleType) -> None:
    code = """function(x) {
      left_out <- function(f) vapply(seq_along(x), function(s) f(x[s], x[-s]), numeric(1))
      c(left_out(function(own, others) ecdf(others)(own)),
        left_out(function(own, others) (own - mean(others)) / sd(others)),
        left_out(function(own, others) mean(pnorm(own, others, bw.nrd0(others)))))
    }"""
    parsed = rinterface.baseenv["parse"](text=rinterface.StrSexpVector([code]))
    by_r = rinterface.baseenv["eval"](parsed)
    scores = datasets.load_cranfield("ap").iloc[:6]
    found = [leave_one_out(scores, scheme) for scheme in ("empirical", "z", "kernel")]
    for topic in scores.index:
        expected = np.array(by_r(rinterface.FloatSexpVector(scores.loc[topic].tolist())))
        e_std, z, kernel = expected.reshape(3, -1)
        assert found[0].loc[topic].tolist() == e_std.tolist()
        assert found[1].loc[topic].tolist() == z.tolist()
        np.testing.assert_allclose(found[2].loc[topic], kernel, rtol=1e-14)


TWO = pd.DataFrame({"a": [0.1, 0.5], "b": [0.2, 0.5], "c": [0.3, 0.7]}, index=["301", "302"])
HOLES = TWO.assign(b=[np.nan, 0.5], c=[np.nan, 0.7])
DROPPED = ", and every topic with one is dropped"


@pytest.mark.parametrize(
    ("scores", "arguments", "error", "message"),
    [
        (TWO[["a"]], {"scheme": "raw"}, ScoresError, "there is 1 system; expected 2 or more"),
        (
            TWO[["a", "b"]],
            {"scheme": "normal"},
            FitError,
            "topic '301' without system 'a': normal needs at least 2 reference scores and there i",
        ),
        (
            HOLES,
            {"scheme": "empirical", "missing": "omit"},
            FitError,
            "topic '301' without system 'a': empirical:convention=weak needs at least 1 reference",
        ),
        (HOLES, {"scheme": "normal"}, MissingScoreError, "scores, topic '301', system 'b': the"),
        (
            TWO,
            {"scheme": "normal", "constant": "raise"},
            ConstantTopicError,
            "topic '302' without system 'c': all the other scores are equal; expected another pol",
        ),
        (
            TWO[["a", "b"]],
            {"scheme": "normal", "unfitted": "nan"},
            FitError,
            "normal cannot be fitted to any topic; topic '301' without system 'a': normal needs at",
        ),
        (
            HOLES[["a", "b"]],
            {"scheme": "empirical", "missing": "omit", "unfitted": "drop"},
            SchemeError,
            "unfitted='drop' is not accepted",
        ),
        (TWO, {"scheme": "emprical"}, SchemeError, "there is no scheme 'emprical'"),
        (TWO, {"scheme": "normal", "constant": "trec_eval"}, SchemeError, "constant='trec_ev"),
        (
            TWO.replace(0.1, np.inf),
            {"scheme": "normal"},
            ScoresError,
            "scores, topic '301', system 'a': inf",
        ),
        (
            [[0.1, 0.2]],
            {"scheme": "normal"},
            ScoresError,
            "scores is a list; expected a data frame",
        ),
    ],
)
def test_what_is_refused(
    scores: pd.DataFrame, arguments: dict, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        leave_one_out(scores, Standardizer(**arguments))


@pytest.mark.parametrize(("unfitted", "dropped"), [("nan", ""), ("drop_topic", DROPPED)])
def test_the_notes_count_the_cells_without_a_fit(unfitted: str, dropped: str) -> None:
    how = Standardizer("empirical", missing="omit", unfitted=unfitted)
    first = (
        f"{dropped}; topic '301' without system 'a': empirical:convention=weak needs at least 1 "
        "reference score and there are 0"
    )
    for scores, cells in (
        (HOLES, "1 cell is"),
        (pd.concat([HOLES, HOLES.iloc[:1].rename({"301": "303"})]), "2 cells are"),
    ):
        assert f"{cells} unfitted{first}" in left_out(scores, how).notes
    assert not any("unfitted" in note for note in left_out(TWO, how).notes)


@pytest.mark.clause("errors.3")
@pytest.mark.parametrize("missing", ["raise", "drop_topic"])
def test_an_unfitted_sample_has_no_number(missing: str) -> None:
    """Samples are numbered within a block, and topics after the policy for missing scores."""
    scores = matrix(topics=4, systems=3) + 0.1
    scores.loc["303"] = [0.0, 0.0, 0.5]
    if missing == "drop_topic":
        scores.iloc[0, 0] = np.nan
    standardizer = Standardizer("gamma", missing=missing)
    for standardize in (
        lambda: leave_one_out(scores, standardizer),
        lambda: standardizer.fit(scores),
    ):
        with pytest.raises(FitError, match="topic '303'") as caught:
            standardize()
        assert (caught.value.row, caught.value.rows) == (None, {})
