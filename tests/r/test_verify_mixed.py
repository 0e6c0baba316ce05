"""`verify` of mixed models: every number of R agrees, and a wrong one does not."""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer
from cdfscore.errors import ModelError, VerificationError
from cdfscore.models import MixedModel, mixed_model
from cdfscore.models.mixed import Estimation
from cdfscore.r.verify import Via
from tests.cli.conftest import Run, Write
from tests.models.designs import COMPONENTS, scores
from tests.models.mixed_designs import GRID, PARTS, cut, replicated
from tests.verified import verify, verify_result

SOME = GRID.iloc[:40]
BY_STEMMER = ["topic", "topic:stemmer"]
RAW = Standardizer("raw", missing="omit")
QUANTITIES = [
    "variance",
    "log-likelihood",
    "coefficient",
    "stderr of coefficient",
    "degrees of freedom of t",
    "t",
    "p value of t",
    "F",
    "degrees of freedom of F",
    "p value of F",
]
OF_MEANS = [
    "mean",
    "stderr of mean",
    "degrees of freedom of mean",
    "difference",
    "stderr of difference",
    "degrees of freedom of difference",
    "t",
    "p value of t",
    "p by tukey",
]

pytestmark = pytest.mark.usefixtures("rinterface")


@pytest.mark.one_in(6)
@pytest.mark.parametrize("method", ["REML", "ML"])
@pytest.mark.parametrize(
    ("frame", "formula", "random"),
    [
        (SOME, "score ~ stemmer * stoplist", BY_STEMMER),
        (cut(SOME, 0.5), "score ~ stemmer + model", [*BY_STEMMER, "topic:model"]),
        (cut(SOME.iloc[:, :12], 0.2), "score ~ system", ["topic"]),
    ],
    ids=["complete", "sparse", "systems"],
)
def test_every_number_agrees(
    frame: pd.DataFrame, formula: str, random: list[str], method: Estimation
) -> None:
    table = verify(frame, RAW, formula=formula, components=PARTS, random=random, method=method)
    assert table["agrees"].all(), table.loc[~table["agrees"]].T
    terms = list(table.set_index("quantity").index[2 + len(QUANTITIES) :: len(OF_MEANS)])
    expected = [f"{term.removesuffix(': mean')}: {name}" for term in terms for name in OF_MEANS]
    assert list(table["quantity"])[2:] == [*QUANTITIES, *expected]
    counts = table.set_index("quantity")["count"]
    assert counts["variance"] == len(random) + 1
    assert counts["coefficient"] == counts["p value of t"]
    assert len(terms) == len(mixed_model(frame, formula, PARTS, schemes=[RAW]).table)
    if len(random) > 1:  # the search comes to a variance near 0
        said = "nlme, of the start of the search: Singular precision matrix"
        assert any(said in note for note in table.attrs["notes"])
    # The tolerance is not what makes them agree.
    assert (table.set_index("quantity").loc[QUANTITIES[:6], "max_rel"] < 1e-7).all()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", ["REML", "ML"])
def test_a_variance_of_0_is_checked_by_the_slope(method: Estimation) -> None:
    """Scores of a stemmer on a topic differ from each other, and their means hardly do."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(40, SOME.shape[1]))
    groups = PARTS.set_index("system").loc[list(SOME.columns), "stemmer"].to_numpy()
    for level in np.unique(groups):
        own = groups == level
        values[:, own] -= values[:, own].mean(axis=1, keepdims=True)
    frame = SOME * 0 + values + rng.normal(size=(40, 1))
    table = verify(
        frame, RAW, formula="score ~ stemmer", components=PARTS, random=BY_STEMMER, method=method
    )
    assert table["agrees"].all(), table.loc[~table["agrees"]].T
    (note,) = [note for note in table.attrs["notes"] if "likelihood decreases" in note]
    assert note.startswith("raw: the variance of topic:stemmer is 0; R fits the model without this")


@pytest.mark.one_in(5)
@pytest.mark.parametrize("method", ["REML", "ML"])
@pytest.mark.parametrize(
    ("frame", "scheme", "formula", "random"),
    [
        (SOME, "normal", "score ~ stemmer", ["topic"]),
        (SOME, "uniform", "score ~ stemmer * stoplist", BY_STEMMER),
        (cut(SOME, 0.5), "normal", "score ~ stemmer + model", [*BY_STEMMER, "topic:model"]),
        (cut(SOME.iloc[:, :12], 0.2), "empirical", "score ~ system", ["topic"]),
        (SOME.iloc[:, [0, 35]], "normal", "score ~ system", ["topic"]),
    ],
    ids=["complete", "two terms", "sparse", "systems", "two systems"],
)
def test_differences_within_topics_agree(
    frame: pd.DataFrame, scheme: str, formula: str, random: list[str], method: Estimation
) -> None:
    how = Standardizer(scheme, missing="omit")
    table = verify(frame, how, formula=formula, components=PARTS, random=random, method=method)
    assert table["agrees"].all(), table.loc[~table["agrees"]].T
    notes = " ".join(table.attrs["notes"])
    assert ": the variance of topic is 0; R fits the model without this term" in notes
    assert "R fits differences within topics again, for the tests" in notes
    rows = table.set_index("quantity")
    assert rows.loc["variance", "count"] == len(random) + 1
    assert (rows.loc[["variance", "stderr of coefficient", "F"], "max_rel"] < 1e-7).all()


def wrong_by(formula: str, change: Callable[[MixedModel], dict[str, Any]]) -> MixedModel:
    found = mixed_model(SOME, formula, PARTS, random=BY_STEMMER)
    return replace(found, **change(found))


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("table", "column", "row", "quantity"),
    [
        ("variances", "variance", 1, "variance"),
        ("coefficients", "estimate", 0, "coefficient"),
        ("coefficients", "stderr", 2, "stderr of coefficient"),
        ("coefficients", "df", 0, "degrees of freedom of t"),
        ("coefficients", "p_value", 1, "p value of t"),
        ("table", "statistic", 0, "F"),
        ("table", "df_error", 1, "degrees of freedom of F"),
        ("table", "p_value", 0, "p value of F"),
    ],
)
def test_a_wrong_number_is_found(table: str, column: str, row: int, quantity: str) -> None:
    def change(found: MixedModel) -> dict[str, Any]:
        frame = getattr(found, table).copy()
        frame.loc[row, column] *= 1.001
        return {table: frame}

    compared = verify_result(wrong_by("score ~ stemmer * stoplist", change))
    assert list(compared.loc[~compared["agrees"], "quantity"]) == [quantity]


@pytest.mark.one_in(7)
@pytest.mark.parametrize(
    ("method", "column", "row", "quantity"),
    [
        ("means", "mean", 1, "mean"),
        ("means", "stderr", 0, "stderr of mean"),
        ("means", "df", 2, "degrees of freedom of mean"),
        ("contrasts", "estimate", 0, "difference"),
        ("contrasts", "df", 1, "degrees of freedom of difference"),
        ("contrasts", "p_value", 2, "p value of t"),
        ("contrasts", "p_adjusted", 0, "p by tukey"),
    ],
)
def test_a_wrong_mean_or_difference_is_found(
    monkeypatch: pytest.MonkeyPatch, method: str, column: str, row: int, quantity: str
) -> None:
    right = getattr(MixedModel, method)

    def wrong(self: MixedModel, term: str) -> pd.DataFrame:
        table = right(self, term)
        table.loc[row, column] *= 1.001
        return table

    monkeypatch.setattr(MixedModel, method, wrong)
    compared = verify(SOME, "raw", formula="score ~ stemmer", components=PARTS, random=["topic"])
    assert list(compared.loc[~compared["agrees"], "quantity"]) == [f"stemmer: {quantity}"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("via", "scheme"),
    [
        ("rpy2", "normal"),
        pytest.param("rpy2", "raw", marks=pytest.mark.long),
        pytest.param("rscript", "normal", marks=pytest.mark.long),
        pytest.param("rscript", "raw", marks=pytest.mark.long),
    ],
)
def test_replicates_and_a_variance_of_topic_of_0(via: Via, scheme: str) -> None:
    """Of normal scores all topics have one mean: R takes differences within topics."""
    table = verify(
        replicated(missing=0.2),
        Standardizer(scheme, missing="omit"),
        formula="score ~ model * stemmer + shard",
        components=COMPONENTS,
        random=["topic", "topic:stemmer", "topic:system"],
        via=via,
    )
    assert table["agrees"].all()
    assert list(table["quantity"][2:12]) == QUANTITIES
    within = any("differences within topics" in note for note in table.attrs["notes"])
    assert within == (scheme == "normal")


@pytest.mark.long
def test_names_of_any_kind_and_the_script() -> None:
    components = COMPONENTS.rename(columns={"stemmer": "stem mer", "model": "random_1"})
    components["stem mer"] = components["stem mer"].map({"none": 'no "s"', "s": "a\\b"}).fillna("é")
    for via in ("rpy2", "rscript"):
        table = verify(
            scores(missing=0.1),
            RAW,
            formula="score ~ `stem mer` + random_1",
            components=components,
            random=["topic", "topic:stem mer"],
            via=via,
        )
        assert table["agrees"].all(), via


def test_matrices_on_which_r_would_take_very_long_are_refused() -> None:
    rng = np.random.default_rng(1)
    names = [f"s{i}" for i in range(600)]
    components = pd.DataFrame({"system": names, "part": ["a", "b"] * 300})
    frame = pd.DataFrame(rng.random((200, 600)), columns=names)
    frame.index = [f"t{i}" for i in range(200)]
    with pytest.raises(
        ModelError, match="R or statsmodels would invert 200 matrices of 600 systems for 120,000"
    ):
        verify(frame, "raw", formula="score ~ part", components=components, random=["topic"])


@pytest.mark.long
def test_the_command_verifies_mixed_models(cdfscore: Run, write: Write, tmp_path: Path) -> None:
    write({"s.csv": SOME.to_csv(index_label="topic"), "c.csv": PARTS.to_csv(index=False)})
    model = ("--components", "c.csv", "--formula", "score ~ stemmer")
    random = ("--random", "topic", "--random", "topic:stemmer")
    status, out, _ = cdfscore("verify", "s.csv", *model, *random, "--method", "ML")
    assert status == 0
    assert "degrees of freedom of F" in out
    assert "agrees with R" in out
    status, _, err = cdfscore("verify", "s.csv", *model, *random, "--script", "check.R")
    assert status == 0
    text = (tmp_path / "check.R").read_text()
    assert "mixed model by REML, score ~ stemmer, random topic, topic:stemmer" in text
    done = subprocess.run(
        [shutil.which("Rscript") or "Rscript", "--vanilla", "check.R", "s.csv"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert b"degrees of freedom of F" in done.stdout
    status, _, err = cdfscore("verify", "s.csv", *model, "--method", "ML")
    assert status == 2
    assert "--method needs --random" in err


@pytest.mark.parametrize("random", [["topic"], BY_STEMMER], ids=str)
def test_topics_that_vary_too_much_for_nlme_are_told_in_one_sentence(random: list[str]) -> None:
    far = SOME + 1e6 * np.random.default_rng(1).normal(size=(len(SOME), 1))
    result = mixed_model(far, "score ~ stemmer", PARTS, random=random, schemes=[RAW])
    told = "R stops: Error: the mixed model cannot be fitted in R, as nlme loses digits .* judge, "
    with pytest.raises(VerificationError, match=f"{told}against=statsmodels$"):
        verify_result(result)
