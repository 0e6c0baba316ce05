"""Topics on which lower is better, such as error rates: reversed before anything is fitted."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdfscore import (
    Standardizer,
    compare,
    diagnose,
    load_factors,
    parse_scheme,
    read_scores,
    save_factors,
    scheme_names,
)
from cdfscore.comparison.correlation import correlate
from cdfscore.comparison.sensitivity import sensitivity
from cdfscore.errors import (
    CdfscoreError,
    FactorsError,
    FitError,
    MissingScoreError,
    SchemeError,
    ScoresError,
    SignificanceError,
)
from cdfscore.r.verify import Via
from cdfscore.report.comparison import caption
from cdfscore.standardization.formats import write_trec_eval_factors
from cdfscore.standardization.leave_one_out import left_out
from cdfscore.standardization.policies import reflected
from cdfscore.standardization.standardizer import How
from tests.guards.conftest import Files, Outcome
from tests.verified import verify

pytestmark = pytest.mark.one_in(2)

#: Schemes whose domain no negated score is in.
FROM_ZERO = [name for name in scheme_names() if parse_scheme(name).domain[0] >= 0]


@pytest.fixture
def wer(shared_data: Path) -> pd.DataFrame:
    """Word error rates in percent, of 12 speech recognizers on 8 data sets."""
    found = pd.read_csv(shared_data / "leaderboards" / "asr_english.csv", index_col="model")
    rates = found.filter(regex="(?<!Avg.) WER$").iloc[:12].T
    assert rates.shape == (8, 12)
    return rates.rename_axis("topic")


@pytest.fixture
def mixed(wer: pd.DataFrame) -> pd.DataFrame:
    """The last four data sets by word accuracy, in which higher is better."""
    found = (wer * 100).round().astype(int)
    found.iloc[4:] = 10_000 - found.iloc[4:]
    return found / 100


@pytest.mark.clause("lower_is_better.1")
@pytest.mark.one_in(4)
@pytest.mark.parametrize("spelling", scheme_names())
@settings(max_examples=8)
@given(data=st.data(), seed=st.integers(0, 2**31))
def test_every_scheme_is_that_of_scores_reversed_by_hand(
    spelling: str, data: st.DataObject, seed: int
) -> None:
    grid = parse_scheme(spelling).grid
    size = 1000 if grid is None else round(1 / grid)
    whole = np.random.default_rng(seed).integers(1, size, (3, 13))
    lower = data.draw(st.lists(st.sampled_from("abc"), min_size=1, unique=True))
    at = 1 if spelling in FROM_ZERO else data.draw(st.sampled_from([0, 1]))
    by_hand, rows = whole.copy(), ["abc".index(topic) for topic in lower]
    by_hand[rows] = at * size - whole[rows]
    scores, expected = (pd.DataFrame(k / size, list("abc")) for k in (whole, by_hand))
    how = Standardizer(spelling, unfitted="nan", lower_is_better=lower, reflect_at=at)
    try:
        plain = Standardizer(spelling, unfitted="nan").standardize(expected)
    except FitError:
        with pytest.raises(FitError):
            how.standardize(scores)
        return
    found = how.standardize(scores)
    assert found.scores.to_numpy().tobytes() == plain.scores.to_numpy().tobytes()
    assert found.means.equals(plain.means)
    assert found.unfitted_topics == plain.unfitted_topics
    told = [note for note in found.notes if not note.startswith("lower is better")]
    assert len(found.notes) - len(told) == 1
    assert told == plain.notes


@pytest.mark.clause("lower_is_better.2")
@given(
    st.lists(st.integers(0, 10**6), min_size=1),
    st.sampled_from([(1, 10**6), (1, 10**4), (100, 10**4), (100, 10), (3, 10**12)]),
)
def test_reflected_decimals_are_the_nearest_doubles(
    wholes: list[int], unit: tuple[int, int]
) -> None:
    at, size = unit
    wholes = [k for k in wholes if k <= at * size]
    found = reflected(float(at), np.array(wholes) / size)
    assert found.tolist() == [(at * size - k) / size for k in wholes]


@pytest.mark.clause("lower_is_better.2")
@given(st.lists(st.floats(-1e9, 1e9), min_size=2), st.sampled_from([0.0, 1.0, 100.0, -2.5]))
def test_reflection_reverses_the_order_and_negation_is_exact(
    scores: list[float], at: float
) -> None:
    x = np.sort(np.array(scores))
    found = reflected(at, x)
    assert (np.diff(found) <= 0).all()
    assert np.abs(found - (at - x)).max() <= abs(at) * 2.0**-52
    if not at:
        assert (found == -x).all()
        assert not np.signbit(found[x == 0]).any()  # no -0.0 in tables


def test_factors_keep_the_direction(mixed: pd.DataFrame, tmp_path: Path) -> None:
    reference, others = mixed.iloc[:, :8], mixed.iloc[2:6, 6:]
    how = Standardizer("normal", lower_is_better=list(mixed.index[:4]), reflect_at=100)
    factors = how.fit(reference)
    assert "lower is better on 4 of them" in repr(factors)
    assert factors.digest == Standardizer("normal").fit(reference).digest  # scores as given
    save_factors(factors, tmp_path / "f.json")
    loaded = load_factors(tmp_path / "f.json")
    assert (loaded.lower_is_better, loaded.reflect_at) == (tuple(mixed.index[:4]), 100.0)
    found = loaded.standardize(others)
    expected = how.standardize(others, reference)
    pd.testing.assert_frame_equal(found.scores, expected.scores, check_exact=True)
    note = (
        "lower is better on 2 topics (Gigaspeech WER, LS Clean WER): their scores are reflected, "
        "from x to 100 - x, so that higher is better"
    )
    assert note in found.notes
    # The caption and the tests have it from the factors.
    assert note[1:] in caption(compare(others, "paired_t", scheme=loaded))
    everywhere = replace(factors, lower_is_better=True)
    save_factors(everywhere, tmp_path / "f.json")
    assert load_factors(tmp_path / "f.json").lower_is_better is True
    plain = tmp_path / "plain.json"
    save_factors(Standardizer("normal").fit(reference), plain)
    assert not {"lower_is_better", "reflect_at"} & set(json.loads(plain.read_text()))


@pytest.mark.clause("trec_eval_factors.1")
def test_published_formats_do_not_have_it(wer: pd.DataFrame, tmp_path: Path) -> None:
    factors = Standardizer("normal", lower_is_better=True).fit(wer, measure="WER")
    with pytest.raises(FactorsError, match=r"of reversed scores \(lower is better\), which"):
        write_trec_eval_factors([factors], tmp_path / "zscores")


def test_correlate_takes_the_topics_of_each_matrix(mixed: pd.DataFrame) -> None:
    lower, higher = mixed.iloc[:4], mixed.iloc[4:]
    how = Standardizer("normal", lower_is_better=list(lower.index), reflect_at=100)
    found = correlate(lower, higher, scheme=how)
    wrong = correlate(lower, higher, scheme="normal").table
    assert found.table["value"][0] == -wrong["value"][0] > 0.1
    assert len(found.notes) == 1
    assert found.notes[0].startswith("the first scores: lower is better on every ")
    with pytest.raises(ScoresError, match=r"no topic 'WER'"):
        correlate(lower, higher, scheme=Standardizer("raw", lower_is_better="WER"))


def test_diagnose_and_sensitivity_are_of_reversed_scores(mixed: pd.DataFrame) -> None:
    by_hand, lower = mixed.copy(), list(mixed.index[:4])
    by_hand.iloc[:4] *= -1
    found = diagnose(mixed, ["normal"], bootstrap=0, lower_is_better=lower)
    expected = diagnose(by_hand, ["normal"], bootstrap=0)
    pd.testing.assert_frame_equal(found.fits, expected.fits, check_exact=True)
    assert found.notes[0].startswith("lower is better on 4 topics")
    schemes = [Standardizer(each, lower_is_better=lower) for each in ("raw", "normal")]
    changes, expected_changes = sensitivity(mixed, schemes), sensitivity(by_hand, ["raw", "normal"])
    pd.testing.assert_frame_equal(changes.conclusions, expected_changes.conclusions)
    assert sorted(changes.notes) == sorted([found.notes[0], *expected_changes.notes])


def test_schemes_of_two_directions_are_not_compared(mixed: pd.DataFrame) -> None:
    schemes: list[How] = ["raw", Standardizer("normal", lower_is_better="AMI WER")]
    message = (
        r"lower is better on AMI WER by normal, and higher is better by raw; expected the same"
    )
    for order in (schemes, schemes[::-1]):
        with pytest.raises(SignificanceError, match=message):
            compare(mixed, "paired_t", scheme=order)
    # Each on a topic of its own: only that of the scheme that is named first is one by it.
    schemes[0] = Standardizer("raw", lower_is_better="Gigaspeech WER")
    with pytest.raises(
        SignificanceError, match="on Gigaspeech WER by raw, and higher is better by normal"
    ):
        compare(mixed, "paired_t", scheme=schemes)
    # Negated and reflected scores have one direction.
    schemes = [
        Standardizer("raw", lower_is_better="AMI WER"),
        Standardizer("normal", lower_is_better="AMI WER", reflect_at=100),
    ]
    found = compare(mixed, "paired_t", scheme=schemes)
    assert len([note for note in found.notes if note not in found.cautions]) == 2


@pytest.mark.clause("missing.2")
def test_absent_topics_are_no_zeros_where_lower_is_better(mixed: pd.DataFrame) -> None:
    how = Standardizer("normal", missing="zero", lower_is_better=list(mixed.index[:4]))
    factors = how.fit(mixed)
    found = factors.standardize(mixed.iloc[:6])
    assert found.used.values[6:].tolist() == np.zeros((2, 12)).tolist()
    with pytest.raises(MissingScoreError, match=r"lack topic 'AMI WER', and lower is better on"):
        factors.standardize(mixed.iloc[1:])


REFUSED: dict[str, tuple[Callable[[pd.DataFrame], object], type[CdfscoreError], str]] = {
    "unknown label": (
        lambda x: Standardizer("raw", lower_is_better="AMI").fit(x),
        ScoresError,
        r"no topic 'AMI', on which lower is given as better \(did you mean 'AMI WER'\?\); expec",
    ),
    "no labels": (
        lambda x: Standardizer("raw", lower_is_better=1),  # type: ignore[arg-type]
        SchemeError,
        r"lower_is_better=1 is not accepted; expected labels of topics, or lower_is_better=True",
    ),
    "nothing to reflect": (
        lambda x: Standardizer("raw", reflect_at=1),
        SchemeError,
        r"reflect_at=1 reflects scores where lower is better, and lower_is_better=... names no",
    ),
    "infinite": (
        lambda x: Standardizer("raw", lower_is_better=True, reflect_at=math.inf),
        SchemeError,
        r"reflect_at=inf is not accepted",
    ),
    "beyond the domain": (
        lambda x: Standardizer("beta", lower_is_better=True, reflect_at=1).fit(x),
        FitError,
        r"topic 'AMI WER' \(scores 1 - x\): a reference score is -7.1",
    ),
    "diagnosed": (
        lambda x: diagnose(x, ["normal", "beta"], lower_is_better=True),
        SchemeError,
        r"^beta\S* is a distribution on \[0, 1\], .* expected reflect_at=1,",
    ),
    "missing as 0": (
        lambda x: Standardizer("normal", missing="zero", lower_is_better=True).fit(x.mask(x > 13)),
        MissingScoreError,
        r"topic 'AMI WER', system 'assemblyai/universal-3-pro': the score is missing, and lower i",
    ),
    "missing as 0 by factors": (
        lambda x: (
            Standardizer("normal", missing="zero", lower_is_better=True)
            .fit(x)
            .transform(x.mask(x > 13))
        ),
        MissingScoreError,
        r"scores, topic 'AMI WER', .* missing='zero' would make it the best score",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(wer: pd.DataFrame, case: str) -> None:
    act, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        act(wer)


@pytest.mark.clause("lower_is_better.1")
@pytest.mark.parametrize("scheme", FROM_ZERO)
def test_a_domain_without_negated_scores_needs_a_reflection(scheme: str) -> None:
    with pytest.raises(SchemeError, match=r"where lower is better scores are negated; expected"):
        Standardizer(scheme, lower_is_better=True)
    Standardizer(scheme, lower_is_better=True, reflect_at=1)


@pytest.mark.clause("lower_is_better.1")
@pytest.mark.usefixtures("rinterface")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("via", ["rpy2", "rscript"])
@pytest.mark.parametrize("reflect_at", [0, 100])
def test_r_reverses_the_same_scores(mixed: pd.DataFrame, via: Via, reflect_at: float) -> None:
    for lower, scheme in ((list(mixed.index[:4]), "empirical"), (True, "raw")):
        how = Standardizer(scheme, lower_is_better=lower, reflect_at=reflect_at)
        table = verify(mixed, how, reference=mixed.iloc[:, 3:], test="paired_t", via=via)
        assert table["agrees"].all(), table.to_string()
        assert table["max_ulp"][0] == 0


def text(scores: pd.DataFrame) -> str:
    return scores.to_csv()


WAYS = {
    "standardize": (("--scheme", "normal"), ()),
    "compare": (("--scheme", "normal", "--test", "paired_t"), ()),
    "correlate": (("--scheme", "normal"), ("s.csv",)),
    "diagnose": (("--scheme", "normal", "--bootstrap", "0"), ()),
}


@pytest.mark.parametrize("command", WAYS)
def test_commands_say_it(
    cdfscore: Callable[..., Outcome],
    write: Callable[[Files], None],
    mixed: pd.DataFrame,
    command: str,
) -> None:
    write({"s.csv": text(mixed)})
    options, second = WAYS[command]
    run = (command, "s.csv", *second, *options)
    found = cdfscore(*run, "--lower-is-better", "AMI WER", "--lower-is-better", "LS Clean WER")
    assert found.status == 0
    assert "lower is better on 2 topics (AMI WER, LS Clean WER): their scores are n" in found.err
    assert found.out != cdfscore(*run).out or command == "correlate"
    everywhere = cdfscore(*run, "--all-lower-is-better", "--reflect-at", "100")
    assert (
        "lower is better on every topic: all scores are reflected, from x to 100 - x"
        in everywhere.err
    )
    wrong = cdfscore(*run, "--lower-is-better", "AMI")
    assert wrong.status == 2
    assert "(did you mean 'AMI WER'?)" in wrong.err
    assert cdfscore(*run, "--reflect-at", "1").status == 2
    both = cdfscore(*run, "--lower-is-better", "AMI WER", "--all-lower-is-better")
    assert both.status == 2
    assert "exclude each other" in both.err
    more = cdfscore(*run, "--lower-is-better", "all", "--lower-is-better", "AMI WER")
    assert more.status == 2
    assert "--lower-is-better all covers every topic; expected no other" in " ".join(
        more.err.replace("│", " ").split()
    )


def test_apply_has_it_from_the_factors(
    cdfscore: Callable[..., Outcome], write: Callable[[Files], None], mixed: pd.DataFrame
) -> None:
    write({"s.csv": text(mixed)})
    how = ("--scheme", "normal", "--lower-is-better", "AMI WER")
    done = cdfscore("standardize", "s.csv", *how, "--save-factors", "f.json")
    assert cdfscore("apply", "f.json", "s.csv") == done


HIGHER = "higher scores are taken as better, but {} may be of errors by name; use lower_is_better"


def test_names_of_errors_are_noted_unless_lower_is_better(
    wer: pd.DataFrame, tmp_path: Path
) -> None:
    board = tmp_path / "board.csv"
    wer.T.rename_axis("model").to_csv(board)
    scores = read_scores(board)
    what = "8 tasks (AMI WER, Earnings22 WER, Gigaspeech WER, LS Clean WER, LS Other WER, ...)"
    for scheme in ("raw", "normal"):
        cautions = Standardizer(scheme).standardize(scores).cautions
        assert f"{HIGHER.format(what)}=True if lower is better" in cautions
        lower = Standardizer(scheme, lower_is_better=True).standardize(scores)
        assert not any("of errors by name" in note for note in lower.cautions)
        for done in (lower.scores, -scores):
            again = Standardizer("raw").standardize(done).cautions
            assert not any("of errors by name" in note for note in again)
    assert any(
        "of errors by name" in note for note in left_out(scores, Standardizer("normal")).notes
    )


def test_the_name_of_the_measure_is_noted_too(
    cdfscore: Callable[..., Outcome], write: Callable[[Files], None], wer: pd.DataFrame
) -> None:
    rows = wer.rename_axis("dataset").reset_index().melt("dataset", var_name="model")
    write({"rows.csv": rows.rename(columns={"value": "WER"}).to_csv(index=False)})
    said = (
        HIGHER.format("the measure (WER)").replace("lower_is", "--all-lower-is").replace("_", "-")
    )
    told = f"H{said[1:]} if lower is better"
    assert told in cdfscore("compare", "rows.csv", "-o", "p.csv").err
    given = ("rows.csv", "--scheme", "normal", "--lower-is-better", "all")
    done = cdfscore("standardize", *given, "-o", "y.parquet")
    assert done.status == 0
    assert said not in done.err
    assert said not in cdfscore("compare", "y.parquet", "-o", "q.csv").err
