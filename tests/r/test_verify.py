"""`verify` lays every number of Python beside R's."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cdfscore_plug_in import Laplace

import cdfscore
from cdfscore import scheme_names
from cdfscore.errors import CdfscoreError, RNotAvailableError, SchemeError, VerificationError
from cdfscore.r import script, session
from cdfscore.r.verify import WAYS
from cdfscore.standardization.policies import CONSTANT_POLICIES, check_constant
from cdfscore.stats.schemes import Normal
from tests.suited import suited
from tests.verified import verify
from validation.broken import BROKEN

pytestmark = pytest.mark.usefixtures("rinterface")

LAPLACE = Laplace()
# Ten starts of a mixture take a second in R; the policies are the same with two.
QUICK = {"mixture": "mixture:starts=2"}
# Families that a topic with a score of exactly 0 cannot be fitted by.
WITHOUT_ZERO = ("beta", "gamma", "kumaraswamy", "logit_normal")


def applicable() -> list[tuple[str, str]]:
    """Pair every scheme with the policies for constant topics that it takes."""
    pairs = []
    for name in scheme_names():
        for policy in CONSTANT_POLICIES:
            try:
                check_constant(policy, cdfscore.parse_scheme(name))
            except SchemeError:
                continue
            pairs += [(QUICK.get(name, name), policy)] if policy != "raise" else []
    return pairs


@pytest.mark.clause("standardizer.3", "missing.1", "constant.2", "verify.1")
@pytest.mark.one_in(12)
@pytest.mark.parametrize(("scheme", "policy"), applicable())
@pytest.mark.parametrize("missing", ["omit", "zero", "drop_topic"])
def test_policies_are_those_of_r(
    wide: pd.DataFrame, scheme: str, policy: str, missing: str
) -> None:
    scores = suited(cdfscore.parse_scheme(scheme), wide)
    how = cdfscore.Standardizer(scheme, constant=policy, missing=missing, unfitted="nan")
    table = verify(scores, how)
    assert table["quantity"].tolist() == ["standardized score", "system mean"]
    assert table["agrees"].all(), table.to_string()
    cells = {"omit": 81, "zero": 84, "drop_topic": 56}[missing]
    constant = 14 if policy in ("nan", "drop_topic") else 0
    unfitted = 28 if missing == "zero" and scheme in WITHOUT_ZERO else 0  # two topics
    assert table["count"].tolist() == [cells - constant - unfitted, 14]


@pytest.mark.parametrize("constant", ["drop_topic", "nan", "limit"])
def test_an_unfitted_topic_is_not_constant(constant: str) -> None:
    scores = pd.DataFrame(np.random.default_rng(1).random((4, 5)), columns=list("abcde"))
    scores.iloc[1] = [0.5, 0.5, np.nan, np.nan, np.nan]  # too few for johnson_su
    scores.iloc[2] = 0.25
    how = cdfscore.Standardizer("johnson_su", constant=constant, missing="omit", unfitted="nan")
    assert verify(scores, how)["agrees"].all()


@pytest.mark.one_in(12)
@pytest.mark.parametrize(("scheme", "policy"), applicable())
def test_policies_off_the_common_score(wide: pd.DataFrame, scheme: str, policy: str) -> None:
    """On the constant topic the systems have a gap, the common score, and one beside it."""
    others = wide.iloc[:, :3].copy()
    others.loc["c"] = [np.nan, 0.1, 0.2]
    others, wide = (suited(cdfscore.parse_scheme(scheme), frame) for frame in (others, wide))
    how = cdfscore.Standardizer(scheme, constant=policy, missing="omit")
    table = verify(others, how, reference=wide)
    assert table["agrees"].all(), table.to_string()
    assert table["count"].tolist() == [16 - 2 * (policy in ("nan", "drop_topic")), 3]


@pytest.mark.clause("verify.1")
@pytest.mark.parametrize("via", WAYS)
def test_topics_are_matched_with_those_of_the_reference(gaps: pd.DataFrame, via: str) -> None:
    others = gaps.iloc[[4, 1, 3], :3].rename(columns="new {}".format)
    reference = gaps.iloc[::-1]
    how = cdfscore.Standardizer("uniform:A=0.3", missing="omit")
    table = verify(others, how, reference=reference, via=via)
    assert table["agrees"].all()
    assert table["count"].tolist() == [9, 3]
    assert table["max_ulp"].tolist() == [0, 0]


@pytest.mark.clause("verify.2")
def test_row_tells_what_differs_and_where(scores: pd.DataFrame) -> None:
    """Of the two broken copies: R has what the true family has."""
    for broken, true in zip(BROKEN, ("empirical", "normal"), strict=True):
        ours = cdfscore.Standardizer(broken).fit_transform(scores)
        right = cdfscore.Standardizer(true).fit_transform(scores)
        row = verify(scores, broken).iloc[0]
        assert not row["agrees"]
        assert row["max_ulp"] > row["allowed_ulp"]
        assert row["python"] == ours.loc[row["topic"], row["system"]]
        assert row["r"] == pytest.approx(right.loc[row["topic"], row["system"]], rel=1e-14)
        assert row["max_abs"] == pytest.approx((ours - right).abs().to_numpy().max(), rel=1e-12)
        relative = ((ours - right).abs() / right).to_numpy()
        assert row["max_rel"] == pytest.approx(np.nanmax(relative), rel=1e-12)


@pytest.mark.parametrize("via", WAYS)
def test_scheme_of_the_users_own(scores: pd.DataFrame, via: str) -> None:
    assert verify(scores, LAPLACE, via=via)["agrees"].all()


@pytest.mark.clause("verify.1")
def test_r_stops(scores: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    twin = tmp_path / "normal.R"
    twin.write_text("standardize <- function(x, scores) stop('no fit')\n")
    monkeypatch.setattr(Normal, "twin", classmethod(lambda _: twin))
    for via in WAYS:
        with pytest.raises(VerificationError, match=r"R stops: .*no fit"):
            verify(scores, "normal", via=via)


def test_scheme_without_a_twin(scores: pd.DataFrame) -> None:
    class Renamed(Laplace):
        """A scheme in a file where there is no twin of its name."""

    for via in WAYS:
        with pytest.raises(VerificationError, match=r"renamed has no R twin; .*renamed\.R"):
            verify(scores, Renamed(), via=via)


def test_way_that_there_is_not(scores: pd.DataFrame) -> None:
    with pytest.raises(CdfscoreError, match="via='reticulate' is not accepted; expected rpy2 or"):
        verify(scores, "z", via="reticulate")


def test_without_r(scores: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (session, script):
        monkeypatch.setattr(module.shutil, "which", lambda _: None)
    monkeypatch.delenv("R_HOME", raising=False)
    for via, what in (("rpy2", "R is not"), ("rscript", "Rscript is not")):
        with pytest.raises(RNotAvailableError, match=f"{what} installed; install it .*apt-get"):
            verify(scores, "z", via=via)
