"""Topics that only one of two matrices has, and few reference systems, are told or dropped."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import (
    CdfscoreWarning,
    Factors,
    Standardizer,
    compare,
    datasets,
    leave_one_out,
    parse_scheme,
)
from cdfscore.comparison.sensitivity import Sensitivity, sensitivity
from cdfscore.errors import FactorsError
from cdfscore.experiments.matrices import standardized
from cdfscore.r.verify import Via
from cdfscore.standardization.standardizer import How
from tests.cli.conftest import Run, Write
from tests.exact_csv import read_exact_csv
from tests.suited import suited
from tests.verified import verify

EXTRA = "20 topics (41, 42, 43, 44, 45, ...) are left out for all schemes, since one scheme has no"
ZEROS = (
    "20 topics (41, 42, 43, 44, 45, ...) are left out for all schemes, since the scores lack them "
    "and only one scheme sets them to 0"
)


def of_sixty(systems: slice) -> pd.DataFrame:
    return datasets.load_cranfield("ap").iloc[:60, systems]


@pytest.fixture
def new() -> pd.DataFrame:
    return of_sixty(slice(40, None))


def fitted(topics: int, how: str = "normal", **policies: str) -> Factors:
    """Return factors of the first topics, fitted to the other systems."""
    how_ = Standardizer(how, **policies)  # type: ignore[arg-type]
    return how_.fit(of_sixty(slice(0, 40)).iloc[:topics])


def on_the_same(found: Sensitivity, expected: Sensitivity) -> None:
    """Assert that all tables are those of the expected comparison."""
    assert set(found.comparison.topics_by_scheme.values()) == {40}
    for name in ("conclusions", "agreement", "systems", "moves"):
        pd.testing.assert_frame_equal(getattr(found, name), getattr(expected, name))


def told(found: Sensitivity) -> list[str]:
    """Return the notes on topics."""
    return [note for note in found.notes if "topic" in note]


def test_topics_without_factors_are_left_out_for_raw_too(new: pd.DataFrame) -> None:
    factors = fitted(40)
    expected = sensitivity(new.iloc[:40], ["raw", factors])
    assert expected.conclusions["gained"].item() == 1
    found = sensitivity(new, ["raw", factors], extra_topics="drop")
    on_the_same(found, expected)
    assert [note[: len(EXTRA)] for note in told(found)] == [EXTRA]
    with pytest.raises(FactorsError, match="20 of 60 topics have no factors"):
        sensitivity(new, ["raw", factors])


def test_factors_of_different_topics_are_compared_on_those_of_both(new: pd.DataFrame) -> None:
    ways: Sequence[How] = ["raw", fitted(60, "empirical"), fitted(40)]
    found = sensitivity(new, ways, extra_topics="drop")
    on_the_same(found, sensitivity(new.iloc[:40], [ways[0], fitted(40, "empirical"), ways[2]]))


def test_zeros_of_absent_topics_are_left_out_unless_all_have_them(new: pd.DataFrame) -> None:
    factors = fitted(60, missing="zero")
    some = new.iloc[:40]
    expected = sensitivity(some, ["raw", fitted(40)])
    found = sensitivity(some, ["raw", factors])
    on_the_same(found, expected)
    assert told(found) == [ZEROS]
    both = sensitivity(some, [factors, fitted(60, "empirical", missing="zero")])
    assert set(both.comparison.topics_by_scheme.values()) == {60}
    assert all(note.endswith("absent from the scores and taken as 0") for note in told(both))


def test_topics_that_are_left_out_for_all_are_not_called_absent(new: pd.DataFrame) -> None:
    gap = new.copy()
    gap.iloc[3, 2] = None
    found = sensitivity(
        gap, [Standardizer("raw", missing="omit"), Standardizer("normal", missing="drop_topic")]
    )
    assert told(found) == [
        "topic 4 is left out for all schemes, since one scheme drops topics with missing scores"
    ]


def of_thirty() -> pd.DataFrame:
    return datasets.load_cranfield("ap").iloc[:30, :12]


#: Commands with a reference that lacks 5 topics.
COMMANDS = {
    "standardize": "standardize s.csv --scheme normal --reference ref.csv",
    "compare": "compare s.csv --scheme normal --test paired_t --reference ref.csv",
    "verify": "verify s.csv --scheme normal --test paired_t --reference ref.csv",
    "within": "experiment within s.csv --scheme normal --reference ref.csv --trials 2 --out o",
    "between": "experiment between s.csv --scheme normal --reference ref.csv --trials 2 --out o",
}


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("command", COMMANDS)
def test_the_message_names_an_option_that_the_command_has(
    cdfscore: Run, write: Write, command: str
) -> None:
    scores = of_thirty()
    write({"s.csv": scores.to_csv(), "ref.csv": scores.iloc[5:].to_csv()})
    run = COMMANDS[command].split()
    status, _, err = cdfscore(*run)
    assert status == 2
    assert "5 of 30 topics have no factors, such as '1'" in err
    assert "say --extra-topics drop to omit such topics" in err
    status, out, err = cdfscore(*run, "--extra-topics", "drop")
    assert status == 0, err
    if command == "verify":
        assert "agrees with R" in out
    if command in ("standardize", "compare", "verify"):
        assert "5 topics (1, 2, 3, 4, 5) have no factors and are dropped" in err
    wrong = cdfscore(*run, "--extra-topics", "omit")
    assert (wrong.status, "--extra-topics omit is not accepted" in wrong.err) == (2, True)
    alone = [each for each in run if each not in ("--reference", "ref.csv")]
    needs = cdfscore(*alone, "--extra-topics", "drop")
    assert needs.status == 2
    assert "--extra-topics drop needs --reference FILE" in " ".join(needs.err.split())


@pytest.mark.usefixtures("rinterface")
def test_the_stand_alone_script_drops_them_too(cdfscore: Run, write: Write, tmp_path: Path) -> None:
    scores = of_thirty()
    write({"s.csv": scores.to_csv(), "ref.csv": scores.iloc[5:].to_csv()})
    run = (*COMMANDS["verify"].split(), "--extra-topics", "drop", "--script", "x.R")
    assert cdfscore(*run, "--via", "rscript").status == 0
    script = (tmp_path / "x.R").read_text()
    assert 'extra = "drop"' in script
    assert ", extra topics dropped, test paired_t" in script
    assert cdfscore(*run, "--extra-topics", "refuse").status == 2


@pytest.mark.clause("standardizer.2", "standardizer.3")
def test_python_drops_them_as_if_they_were_not_there() -> None:
    scores = of_thirty()
    reference, inner = scores.iloc[5:], scores.iloc[5:]
    how = Standardizer("empirical")
    found = how.standardize(scores, reference, extra_topics="drop")
    pd.testing.assert_frame_equal(found.scores, how.fit_transform(inner), check_exact=True)
    assert found.extra_topics == ("1", "2", "3", "4", "5")
    pairs = compare(scores, "paired_t", scheme=how, reference=reference, extra_topics="drop")
    expected = compare(inner, "paired_t", scheme=how)
    pd.testing.assert_frame_equal(pairs.table, expected.table, check_exact=True)
    by_factors = compare(scores, "paired_t", scheme=how.fit(reference), extra_topics="drop")
    pd.testing.assert_frame_equal(by_factors.table, expected.table, check_exact=True)
    changes = sensitivity(
        scores, ["raw", "normal"], reference=reference, extra_topics="drop"
    ).comparison
    assert set(changes.table["n"]) == {25}
    for refusing in (how.standardize, lambda *both: compare(both[0], "sign", reference=both[1])):
        with pytest.raises(FactorsError, match=r"say extra_topics='drop'"):
            refusing(scores, reference)


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("via", ["rpy2", "rscript"])
@pytest.mark.parametrize("missing", ["raise", "zero"])
def test_r_drops_the_same(via: Via, missing: str) -> None:
    scores = of_thirty()
    how = Standardizer("normal", missing=missing)  # type: ignore[arg-type]
    table = verify(scores.iloc[:20], how, reference=scores.iloc[5:], extra_topics="drop", via=via)
    assert table["agrees"].all()
    assert table["count"][0] == (25 if missing == "zero" else 15) * 12


#: Calls without a reference, where the policy would have no effect.
IDLE: dict[str, Callable[[pd.DataFrame, Any], object]] = {
    "standardize": lambda scores, extra: Standardizer("normal").standardize(
        scores, extra_topics=extra
    ),
    "compare": lambda scores, extra: compare(
        scores, "paired_t", scheme=["normal", Standardizer("z")], extra_topics=extra
    ),
    "compare raw": lambda scores, extra: compare(scores, "paired_t", extra_topics=extra),
    "sensitivity": lambda scores, extra: sensitivity(scores, ["raw", "z"], extra_topics=extra),
    "verify": lambda scores, extra: verify(scores, "normal", extra_topics=extra),
    "experiments": lambda scores, extra: standardized(scores, {"Z": "z"}, extra_topics=extra),
}


@pytest.mark.parametrize("call", IDLE)
def test_without_a_reference_there_is_nothing_to_drop(call: str) -> None:
    scores = of_thirty()
    with pytest.raises(FactorsError, match=r"^extra_topics='drop' needs reference=\.\.\.,"):
        IDLE[call](scores, "drop")
    with pytest.raises(FactorsError, match=r"extra_topics='omit' is not accepted"):
        IDLE[call](scores, "omit")


def test_with_factors_beside_a_scheme_there_is() -> None:
    scores = of_thirty()
    how = Standardizer("empirical").fit(scores.iloc[5:])
    found = compare(scores, "paired_t", scheme=["z", how], extra_topics="drop")
    assert found.topics_by_scheme["z"] == 30
    assert set(found.topics_by_scheme.values()) == {30, 25}


def of_fifty(systems: int = 12) -> pd.DataFrame:
    return datasets.load_cranfield("ap").iloc[:50, :systems]


@pytest.mark.clause("standardizer.4")
@pytest.mark.parametrize("scheme", ["normal", "uniform", "empirical", "minmax", "kernel", "z"])
def test_two_systems_standardized_on_themselves_are_a_sign_test(scheme: str) -> None:
    """As the caution says: the t statistic is the same by each scheme."""
    scores = of_fifty(2)
    scores = scores[scores.iloc[:, 0] != scores.iloc[:, 1]]
    with pytest.warns(CdfscoreWarning, match="a test of the two is a sign test"):
        found = compare(scores, "paired_t", scheme=Standardizer(scheme))
    assert "2 reference systems" in found.notes[0]
    if scheme in ("uniform", "minmax", "normal", "z"):
        same = compare(scores, "paired_t", scheme="normal")
        t = float(same.table["statistic"].iloc[0])
        assert found.table["statistic"].iloc[0] == pytest.approx(t, rel=1e-9)


@pytest.mark.clause("standardizer.4")
@pytest.mark.parametrize(
    "scheme", ["centered", "max", "beta", "gamma", "kernel:bandwidth=0.1", "beta_binomial"]
)
def test_two_systems_may_keep_their_difference(scheme: str) -> None:
    """These schemes do not give the same two scores on each topic, and nothing says so."""
    scores = suited(parse_scheme(scheme), of_fifty(2).clip(0.01))
    found = Standardizer(scheme, unfitted="nan").standardize(
        scores[scores.iloc[:, 0] != scores.iloc[:, 1]]
    )
    y = np.sort(found.scores.dropna().to_numpy(), axis=1)
    assert np.ptp(y, axis=0).max() > 1e-6
    assert found.cautions == [
        "with 2 reference systems, fewer than 10, results depend on which systems they are"
    ]


@pytest.mark.clause("standardizer.4")
@pytest.mark.parametrize("scheme", ["normal", "empirical", "empirical:convention=mid", "kernel"])
def test_fewer_reference_systems_than_the_page_says_are_few(scheme: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference_systems.md").read_text(encoding="utf-8")
    table = dict(re.findall(r"^\| (.*) \| (\d+) \|$", page.split("## Summary")[0], re.MULTILINE))
    of_others = table.pop("every other scheme")
    assert list(table) == ["E-std (`empirical`)"]
    enough = int(table["E-std (`empirical`)"] if "empirical" in scheme else of_others)
    how = Standardizer(scheme)
    (caution,) = how.standardize(of_fifty(enough - 1)).cautions
    assert caution.startswith(f"with {enough - 1} reference systems, fewer than {enough}")
    assert how.standardize(of_fifty(enough)).cautions == []
    assert Standardizer("raw").standardize(of_fifty(2)).cautions == []
    with pytest.warns(CdfscoreWarning, match="9 reference systems"):
        how.fit_transform(of_fifty(9))
    with pytest.warns(CdfscoreWarning, match="8 reference systems"):
        how.fit(of_fifty(8)).transform(of_fifty(20))
    with pytest.warns(CdfscoreWarning, match="9 reference systems"):
        leave_one_out(of_fifty(10), "normal")


SAVE = ("standardize", "ref.csv", "--scheme", "normal", "--save-factors", "f.json", "-o", "o.csv")


def test_absent_topics_are_zero_under_zero_and_named_otherwise(
    cdfscore: Run, write: Write, tmp_path: Path
) -> None:
    scores = of_fifty()
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
    scores = of_fifty()
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
    assert (wrong.status, "expected one of refuse, drop" in wrong.err) == (2, True)
    factors = Standardizer("normal").fit(scores.iloc[:45])
    with pytest.raises(FactorsError, match="extra_topics='none' is not accepted"):
        factors.transform(scores, extra_topics="none")  # type: ignore[call-overload]
    with pytest.raises(FactorsError, match="5 of 5 topics have no factors"):
        factors.transform(scores.iloc[45:], extra_topics="drop")
