"""What a constant topic gets, by policy and scheme: left of, at and right of the common score."""

from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cdfscore import Standardizer
from cdfscore.errors import CdfscoreError, ConstantTopicError
from cdfscore.standardization.policies import CONSTANT_POLICIES
from cdfscore.stats.schemes.base import scheme_label
from tests import a_tenth

COMMON, SCORES = 0.5, [0.25, 0.5, 0.75]
PHI, INF, NAN = NormalDist().cdf, float("inf"), float("nan")
STEP, HALF, NO_NUMBER = (0, 0.5, 1), (0.5, 0.5, 0.5), (NAN, NAN, NAN)
AS_THEY_ARE = tuple(SCORES)
SMOOTHED = (PHI(-1), 0.5, PHI(1))  # a kernel of bandwidth 0.25 around 0.5

# Families whose parameters are not a mean and an sd, and are found by solving for them.
SOLVED = (
    "beta",
    "beta_binomial",
    "from_scipy",
    "gamma",
    "johnson_su",
    "kumaraswamy",
    "logit_normal",
    "logspline",
    "mixture",
    "truncated_normal",
    "zero_inflated",
)
OF_MAX, OFF_MEAN = (0.5, 1, 1.5), (-0.25, 0, 0.25)
# Every scheme under every policy but "raise"; a policy that is not listed is refused.
TABLE = {
    **{name: {"limit": STEP, "half": HALF, "nan": NO_NUMBER} for name in SOLVED},
    "empirical": {
        "limit": (0, 1, 1),
        "half": HALF,
        "nan": NO_NUMBER,
        "urbano2019": (0, 1, 1),  # their scripts substitute mean and sd, of which it has none
    },
    "empirical:convention=strict": {
        "limit": (0, 0, 1),
        "half": HALF,
        "nan": NO_NUMBER,
        "urbano2019": (0, 0, 1),
    },
    "empirical:convention=mid": {
        "limit": STEP,
        "half": HALF,
        "nan": NO_NUMBER,
        "urbano2019": STEP,
    },
    "exponential": {"limit": (0, 0, 1), "half": HALF, "nan": NO_NUMBER},
    "kernel": {"limit": STEP, "half": HALF, "nan": NO_NUMBER},
    "kernel:bandwidth=0.25": {
        "limit": SMOOTHED,
        "half": HALF,
        "nan": NO_NUMBER,
        "urbano2019": SMOOTHED,
    },
    "minmax": {"limit": STEP, "half": HALF, "nan": NO_NUMBER},
    "normal": {
        "limit": STEP,
        "half": HALF,
        "nan": NO_NUMBER,
        "urbano2019": (PHI(0.25), PHI(0.5), PHI(0.75)),  # mean 0, sd 1
        "matters": (PHI(-0.25), 0.5, PHI(0.25)),  # mean as it is, sd 1
    },
    "uniform": {
        "limit": STEP,
        "half": HALF,
        "nan": NO_NUMBER,
        "urbano2019": (0.5375, 0.575, 0.6125),
        "matters": (0.4625, 0.5, 0.5375),
    },
    "uniform:A=0.3,B=0.4": {
        "limit": (0, 0.4, 1),
        "half": HALF,
        "nan": NO_NUMBER,
        "urbano2019": (0.475, 0.55, 0.625),
        "matters": (0.325, 0.4, 0.475),
    },
    "raw": {"limit": AS_THEY_ARE, "urbano2019": AS_THEY_ARE},  # nothing is fitted
    "sum": {"limit": (-INF, 0, INF), "nan": NO_NUMBER},
    "max": {"limit": OF_MAX, "nan": NO_NUMBER, "urbano2019": OF_MAX},
    "centered": {"limit": OFF_MEAN, "nan": NO_NUMBER, "urbano2019": OFF_MEAN},
    "z": {
        "limit": (-INF, 0, INF),
        "nan": NO_NUMBER,
        "urbano2019": AS_THEY_ARE,
        "matters": (-0.25, 0, 0.25),
        "trec_eval": (-1_000_000, 0, -1_000_000),
    },
}
CASES = [(s, p) for s in TABLE for p in CONSTANT_POLICIES if p not in ("raise", "drop_topic")]
# The end of the note on a topic with equal scores, where they are 0.5 and where they are 0.
STEP_SAID = "gives 0 below their common score, 1/2 at it and 1 above it"
ON_THE_LINE = "gives -infinity below their common score, 0 at it and infinity above it"
WEAK = "gives 0 below their common score and 1 at and above it"
SAID = {
    **{(name, "limit"): (STEP_SAID, STEP_SAID) for name in (*SOLVED, "kernel", "minmax", "normal")},
    ("zero_inflated", "limit"): (STEP_SAID, f"{WEAK}, also to a system that found nothing"),
    ("empirical", "limit"): (WEAK, f"{WEAK}, also to a system that found nothing"),
    ("empirical:convention=mid", "limit"): (STEP_SAID, STEP_SAID),
    ("empirical:convention=strict", "limit"): (
        *("gives 0 at and below their common score, and 1 above it",) * 2,
    ),
    ("exponential", "limit"): ("gives 0 at and below their common score, and 1 above it",) * 2,
    ("uniform:A=0.3,B=0.4", "limit"): (
        *("gives 0 below their common score, 0.4 at it and 1 above it",) * 2,
    ),
    ("normal", "half"): ("gives 1/2 to every score",) * 2,
    ("normal", "nan"): ("gives no score",) * 2,
    ("normal", "urbano2019"): (
        "gives 0.6915 at their common score",
        "gives 1/2 at their common score",
    ),
    ("uniform", "matters"): ("gives 1/2 at their common score",) * 2,
    ("z", "limit"): (ON_THE_LINE, ON_THE_LINE),
    ("sum", "limit"): (ON_THE_LINE, ON_THE_LINE),
    ("max", "limit"): ("gives 1 at their common score", ON_THE_LINE),
    ("centered", "limit"): ("gives 0 at their common score",) * 2,
    ("z", "trec_eval"): (
        *("gives -1000000 below their common score, 0 at it and -1000000 above it",) * 2,
    ),
}


@pytest.fixture
def reference() -> pd.DataFrame:
    """A constant topic between two that are not, with scores that every family takes."""
    rows = [[0.1, 0.2, 0.4, 0.3], [COMMON] * 4, [0.1, 0.9, 0.3, 0.1]]
    return pd.DataFrame(rows, index=["1", "2", "3"], columns=list("abcd"))


@pytest.fixture
def wide() -> pd.DataFrame:
    """The same with as many systems as any family needs."""
    rows = [[0.1, 0.2, 0.4, 0.3, 0.5, 0.7, 0.2, 0.3] * 2, [COMMON] * 16, [0.9, 0.3, 0.4, 0.6] * 4]
    return pd.DataFrame(rows, index=["1", "2", "3"], columns=list("abcdefghijklmnop"))


@pytest.fixture
def scores() -> pd.DataFrame:
    columns = ["left", "at", "right", "missing"]
    return pd.DataFrame([[*SCORES, NAN]] * 3, index=["1", "2", "3"], columns=columns)


@pytest.mark.clause("constant.2", "constant.3")
@pytest.mark.one_in(3)
@pytest.mark.parametrize(("scheme", "policy"), [c for c in CASES if c[1] in TABLE[c[0]]])
def test_constant_topic(reference, wide, scores, scheme, policy) -> None:
    reference = wide if scheme in SOLVED else reference
    factors = Standardizer(scheme, constant=policy, missing="omit").fit(reference)
    y = factors.transform(scores).to_numpy()
    assert y[1, :3].tolist() == pytest.approx(TABLE[scheme][policy], rel=4e-16, nan_ok=True)
    # The policy is for the constant topic alone, and a missing score stays missing.
    by_limit = Standardizer(scheme, missing="omit").fit(reference).transform(scores).to_numpy()
    assert y[[0, 2]].tobytes() == by_limit[[0, 2]].tobytes()
    assert np.isnan(y[:, 3]).all()


@pytest.mark.clause("constant.2")
@pytest.mark.parametrize("scheme", [scheme for scheme in TABLE if scheme != "raw"])
def test_raise_names_the_topic(reference, wide, scores, scheme) -> None:
    reference = wide if scheme in SOLVED else reference
    standardizer = Standardizer(scheme, constant="raise", missing="omit")
    expected = r"^topic '2': all its reference scores are equal \(constant topics: 1\); expected"
    with pytest.raises(ConstantTopicError, match=expected) as caught:
        standardizer.fit(reference)
    assert caught.value.row == 1
    standardizer.fit(reference.drop(index="2")).transform(scores.drop(index="2"))


@pytest.mark.clause("constant.1")
@pytest.mark.parametrize("policy", CONSTANT_POLICIES)
def test_unequal_scores_are_no_constant_topic(policy) -> None:
    """The smallest spread there is: two neighbouring doubles."""
    pair = pd.DataFrame([[0.5, np.nextafter(0.5, 1.0)]], index=["1"], columns=["a", "b"])
    for scheme in TABLE:
        # The likelihood of scores so close cannot be told from its neighbours'.
        if scheme in SOLVED or (scheme == "raw" and policy == "raise"):
            continue
        if policy == "raise" or policy in TABLE[scheme]:
            assert Standardizer(scheme, constant=policy).fit(pair).constant_topics == []


@pytest.mark.clause("constant.2")
def test_infinite_scores_of_both_signs_have_no_mean() -> None:
    """As R's mean(c(-Inf, Inf)); a system on one side only keeps its infinite mean."""
    constant = pd.DataFrame([[0.5, 0.5], [0.5, 0.5]], index=["1", "2"], columns=["a", "b"])
    new = pd.DataFrame({"both": [0.1, 0.9], "left": [0.1, 0.5]}, index=["1", "2"])
    means = Standardizer("z").fit(constant).standardize(new).means["mean"]
    assert np.isnan(means["both"])
    assert means["left"] == -INF


@pytest.mark.clause("means.2")
@pytest.mark.parametrize(
    ("policy", "expected"),
    [("limit", (3 / 4, 3)), ("half", (7 / 12, 3)), ("nan", (5 / 8, 2))],
)
def test_exact_means_follow_the_policy(reference, policy, expected) -> None:
    """System d reaches 3/4 and 2/4 of the systems, and on topic 2 it is 1, 1/2 or left out."""
    means = Standardizer("empirical", constant=policy).fit(reference).standardize(reference).means
    assert tuple(means.loc["d"]) == expected


@pytest.mark.clause("constant.1")
def test_present_scores_alone_make_a_topic_constant() -> None:
    rows = {"0 of both signs": [0.0, -0.0, NAN], "one": [0.3, NAN, NAN], "two": [0.3, NAN, 0.4]}
    scores = pd.DataFrame(rows, index=list("abc")).T
    for scheme, unfitted in (("empirical", []), ("normal", ["one"])):
        factors = Standardizer(scheme, missing="omit", unfitted="nan").fit(scores)
        assert factors.constant_topics == [
            t for t in ("0 of both signs", "one") if t not in unfitted
        ]
        assert list(factors.unfitted_topics) == unfitted


@pytest.mark.clause("constant.2")
@pytest.mark.parametrize("scheme", [s for s in TABLE if s not in SOLVED])
def test_topics_are_dropped(reference: pd.DataFrame, scores: pd.DataFrame, scheme: str) -> None:
    """By every scheme, raw scores too; the others have the bits that they have without it."""
    how = Standardizer(scheme, constant="drop_topic", missing="omit")
    others = [topic for topic in reference.index if topic != "2"]
    found = how.standardize(scores, reference)
    by_others = Standardizer(scheme, missing="omit").standardize(
        scores.loc[others], reference.loc[others]
    )
    assert found.scores.equals(by_others.scores)
    assert found.constant_topics == ["2"]
    assert "topic 2 is constant in the reference and dropped" in found.notes
    assert found.dropped_topics == found.absent_topics == []
    assert how.fit(reference).transform(scores.loc[others]).equals(by_others.scores)
    assert how.fit(reference).standardize(scores.loc[others]).absent_topics == []


@pytest.mark.clause("constant.2")
@pytest.mark.parametrize("scheme", ["normal", "raw"])
def test_no_topic_is_left(scheme: str) -> None:
    scores = pd.DataFrame(0.5, index=["1", "2"], columns=list("abc"))
    with pytest.raises(CdfscoreError, match=r"no topic remains|leaves none"):
        Standardizer(scheme, constant="drop_topic").standardize(scores)


@pytest.mark.parametrize(("scheme", "policy"), SAID)
def test_what_y_is_there_is_said_in_numbers(wide: pd.DataFrame, scheme: str, policy: str) -> None:
    for common, said in zip((COMMON, 0.0), SAID[scheme, policy], strict=True):
        wide.loc["2"] = common
        how = Standardizer(scheme, constant=policy, unfitted="nan")
        (note,) = [note for note in how.standardize(wide).notes if note.startswith("topic 2 is")]
        assert f" {scheme_label(scheme)} {said}" in note
        assert note.removesuffix(said) != note or f"{said};" in note


@pytest.mark.clause("constant.2")
@pytest.mark.filterwarnings("ignore::cdfscore.errors.CdfscoreWarning")
@a_tenth
@given(st.data())
def test_dropped_topics_are_those_of_the_limit_without_the_constant_ones(
    data: st.DataObject,
) -> None:
    """With gaps, labels or positions, topics without scores, and where lower is better."""
    shape = data.draw(st.tuples(st.integers(1, 5), st.integers(2, 5)), "shape")
    cells = st.sampled_from([0.0, 0.5, 1.0, NAN])
    values = data.draw(arrays(np.float64, shape, elements=cells), "values")
    labelled, missing = data.draw(st.booleans()), data.draw(st.sampled_from(["omit", "zero"]))
    reference = pd.DataFrame(values, columns=list("abcde"[: shape[1]]))
    if labelled:
        reference.index = [f"t{i}" for i in range(shape[0])]
    scores = reference.iloc[: data.draw(st.integers(1, shape[0]))] if labelled else reference
    how = {
        "scheme": data.draw(st.sampled_from(["normal", "empirical", "minmax", "z"]), "scheme"),
        "missing": missing,
        "unfitted": "drop_topic",
        "lower_is_better": missing == "omit" and data.draw(st.booleans()),
    }
    try:
        limit = Standardizer(**how).standardize(scores, reference)
    except CdfscoreError:
        return
    left = [topic not in limit.constant_topics for topic in limit.used.topics]
    dropping = Standardizer(constant="drop_topic", **how)
    if not any(left):
        with pytest.raises(CdfscoreError, match="no topic remains"):
            dropping.standardize(scores, reference)
        return
    found = dropping.standardize(scores, reference)
    pd.testing.assert_frame_equal(found.scores, limit.scores[left], check_exact=True)
    constant = set(found.factors.constant_topics)
    assert found.absent_topics == [t for t in limit.absent_topics if t not in constant]
    assert not set(found.dropped_topics) & set(found.constant_topics)
