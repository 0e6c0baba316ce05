"""Few reference systems are told, and so are topics that only one side has."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import CdfscoreWarning, Standardizer, compare, datasets, leave_one_out
from cdfscore.errors import FactorsError
from tests.cli.conftest import Run, Write
from tests.exact_csv import read_exact_csv


def cranfield(systems: int = 12) -> pd.DataFrame:
    return datasets.load_cranfield("ap").iloc[:50, :systems]


@pytest.mark.clause("standardizer.4")
@pytest.mark.parametrize("scheme", ["normal", "uniform", "empirical", "minmax", "kernel", "z"])
def test_two_systems_standardized_on_themselves_are_a_sign_test(scheme: str) -> None:
    """As the caution says: the t statistic is the same by each scheme."""
    scores = cranfield(2)
    scores = scores[scores.iloc[:, 0] != scores.iloc[:, 1]]
    with pytest.warns(CdfscoreWarning, match="a test of the two is a sign test"):
        found = compare(scores, "paired_t", scheme=Standardizer(scheme))
    assert "2 reference systems" in found.notes[0]
    if scheme in ("uniform", "minmax", "normal", "z"):
        same = compare(scores, "paired_t", scheme="normal")
        t = float(same.table["statistic"].iloc[0])
        assert found.table["statistic"].iloc[0] == pytest.approx(t, rel=1e-9)


@pytest.mark.clause("standardizer.4")
@pytest.mark.parametrize("scheme", ["centered", "max", "beta", "gamma", "kernel:bandwidth=0.1"])
def test_two_systems_may_keep_their_difference(scheme: str) -> None:
    """These schemes do not give the same two scores on each topic, and nothing says so."""
    scores = cranfield(2).clip(0.01)
    found = Standardizer(scheme, unfitted="nan").standardize(
        scores[scores.iloc[:, 0] != scores.iloc[:, 1]]
    )
    y = np.sort(found.scores.dropna().to_numpy(), axis=1)
    assert np.ptp(y, axis=0).max() > 1e-6
    assert found.cautions == [
        "2 reference systems: with fewer than 10, results depend on which systems they are"
    ]


@pytest.mark.clause("standardizer.4")
def test_fewer_than_ten_are_few() -> None:
    how = Standardizer("normal")
    (caution,) = how.standardize(cranfield(9)).cautions
    assert caution.startswith("9 reference systems: with fewer than 10")
    assert how.standardize(cranfield(10)).cautions == []
    assert Standardizer("raw").standardize(cranfield(2)).cautions == []
    with pytest.warns(CdfscoreWarning, match="9 reference systems"):
        how.fit_transform(cranfield(9))
    with pytest.warns(CdfscoreWarning, match="8 reference systems"):
        how.fit(cranfield(8)).transform(cranfield(20))
    with pytest.warns(CdfscoreWarning, match="9 reference systems"):
        leave_one_out(cranfield(10), "normal")


SAVE = ("standardize", "ref.csv", "--scheme", "normal", "--save-factors", "f.json", "-o", "o.csv")


def test_absent_topics_are_zero_under_zero_and_named_otherwise(
    cdfscore: Run, write: Write, tmp_path: Path
) -> None:
    scores = cranfield()
    write({"ref.csv": scores.to_csv(), "new.csv": scores.iloc[5:].to_csv()})
    assert cdfscore(*SAVE).status == 0
    named = cdfscore("apply", "f.json", "new.csv", "-o", "y.csv")
    assert "5 topics (1, 2, 3, 4, 5) are absent from the scores, so that means are over 45" in (
        named.err
    )
    assert "45 topics; the policy zero would take the absent scores as 0\n" in named.err
    assert cdfscore(*SAVE[:-1], "o.csv", "--lower-is-better", "all").status == 0
    negated = cdfscore("apply", "f.json", "new.csv", "-o", "y.csv")
    assert "so that means are over 45 topics\n" in negated.err
    assert cdfscore(*SAVE).status == 0
    zero = cdfscore("apply", "f.json", "new.csv", "--missing", "zero", "-o", "z.csv")
    assert "5 topics (1, 2, 3, 4, 5) are absent from the scores and taken as 0" in zero.err
    given = read_exact_csv(tmp_path / "z.csv", index_col=0).rename(index=int)
    assert given.index.tolist() == [*range(6, 51), 1, 2, 3, 4, 5]
    explicit = scores.copy()
    explicit.iloc[:5] = 0.0
    expected = Standardizer("normal").fit(scores).transform(explicit)
    assert given.loc[range(1, 6)].to_numpy().tolist() == expected.iloc[:5].to_numpy().tolist()


def test_extra_topics_are_refused_or_dropped(cdfscore: Run, write: Write, tmp_path: Path) -> None:
    scores = cranfield()
    write({"ref.csv": scores.iloc[:45].to_csv(), "new.csv": scores.to_csv()})
    assert cdfscore(*SAVE).status == 0
    refused = cdfscore("apply", "f.json", "new.csv", "-o", "y.csv")
    assert refused.status == 2
    assert "5 of 50 topics have no factors, such as '46'" in refused.err
    dropped = cdfscore("apply", "f.json", "new.csv", "--extra-topics", "drop", "-o", "y.csv")
    assert dropped.status == 0
    assert "5 topics (46, 47, 48, 49, 50) have no factors and are dropped" in dropped.err
    assert len(pd.read_csv(tmp_path / "y.csv")) == 45
    wrong = cdfscore("apply", "f.json", "new.csv", "--extra-topics", "omit", "-o", "y.csv")
    assert (wrong.status, "expected refuse or drop" in wrong.err) == (2, True)
    factors = Standardizer("normal").fit(scores.iloc[:45])
    with pytest.raises(FactorsError, match="extra_topics='none' is not accepted"):
        factors.transform(scores, extra_topics="none")  # type: ignore[call-overload]
    with pytest.raises(FactorsError, match="5 of 5 topics have no factors"):
        factors.transform(scores.iloc[45:], extra_topics="drop")
