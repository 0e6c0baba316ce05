"""A mixed model that could be misread says so: in notes, caption, stderr, and as a warning."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from cdfscore import Standardizer, as_scores
from cdfscore.errors import CdfscoreWarning
from cdfscore.models import mixed_model
from tests.cli.conftest import Outcome
from tests.models.designs import COMPONENTS
from tests.models.mixed_designs import GRID, PARTS, long, replicated

AT_0 = "raw: the variance of topic:stemmer is estimated as 0, its smallest possible value"
LEAVES = "is fitted to the scores of each topic, so the variance of topic does not measure"
FIXED = "the variance of topic is estimated as 0, so effects of topic are omitted"
RANDOM = ["topic", "topic:stemmer", "topic:system"]
NO_STEMMER = (1.0, 0.0, 0.2, 0.5)


def test_a_variance_at_0_is_told() -> None:
    given = replicated(NO_STEMMER, seed=2)
    with pytest.warns(CdfscoreWarning, match=AT_0):
        found = mixed_model(given, "score ~ stemmer", COMPONENTS, random=RANDOM)
    (own,) = found.variances[found.variances["component"] == "topic:stemmer"].to_dict("records")
    assert own["variance"] == own["conf_low"] == 0 < own["conf_high"]
    assert any(note.startswith(AT_0) for note in found.notes)
    for text in (found.to_html(), found.to_latex(), found.to_markdown(), found._repr_html_()):
        assert "its smallest possible value; tests are those of the model without it" in text


def test_a_variance_at_0_is_the_model_without_it() -> None:
    given = replicated(NO_STEMMER, seed=2)
    with pytest.warns(CdfscoreWarning, match=AT_0):
        found = mixed_model(given, "score ~ stemmer", COMPONENTS, random=RANDOM)
    without = mixed_model(given, "score ~ stemmer", COMPONENTS, random=["topic", "topic:system"])
    assert found.log_likelihood["raw"] == pytest.approx(without.log_likelihood["raw"], abs=1e-9)
    for name in ("statistic", "df_error", "p_value"):
        assert found.table[name].tolist() == pytest.approx(without.table[name].tolist(), rel=1e-7)


def test_the_command_tells_it_too(
    cdfscore: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    long(NO_STEMMER, seed=2).to_csv("l.csv", index=False)
    COMPONENTS.to_csv("c.csv", index=False)
    done = cdfscore(
        *("mixed-model", "l.csv", "--components", "c.csv", "--formula", "score ~ stemmer"),
        *("--replicate", "shard", "-o", "a.md"),
        *(word for term in RANDOM for word in ("--random", term)),
    )
    assert done.status == 0
    assert AT_0 in done.err
    assert "the variance of topic:stemmer is estimated as 0" in Path("a.md").read_text()


def test_standardized_topics_have_no_difficulty_left() -> None:
    """On real scores; it is known in advance, and no warning."""
    given = GRID.iloc[:60]
    found = mixed_model(given, "score ~ stemmer", PARTS, schemes=["raw", "normal"])
    assert any(note.startswith(f"normal {LEAVES}") for note in found.notes)
    assert any(note.startswith(f"normal: {FIXED}") for note in found.notes)
    assert not any(note.startswith("raw") for note in found.notes)
    for text in (found.to_html(), found.to_latex(), found.to_markdown()):
        assert LEAVES in text
        assert FIXED in text


def test_what_a_scheme_leaves_of_topics_is_not_called_nothing(shared_data: Path) -> None:
    """Of tied scores, and of schemes that do not centre, a variance of topics is left."""
    scores = as_scores(_read(shared_data / "adhoc" / "adhoc7_p10.csv"))
    found = mixed_model(scores.iloc[:, ::4], "score ~ system", schemes=["empirical", "max"])
    of_topics = found.variances.set_index(["scheme", "component"])["variance"][:, "topic"]
    assert (of_topics > 0.001).all()
    for scheme in found.schemes:
        assert any(note.startswith(f"{scheme} {LEAVES}") for note in found.notes)
    assert not any(FIXED in note or "alike" in note for note in found.notes)


def test_replicates_of_a_topic_have_one_distribution() -> None:
    given = replicated()
    found = mixed_model(given, "score ~ stemmer", COMPONENTS, schemes=["raw", "normal"])
    told = (
        "normal standardizes all replicates of a topic by one distribution, and counts each "
        "replicate as a reference system"
    )
    assert told in found.notes
    assert sum("replicates of a topic" in note for note in found.notes) == 1
    y = Standardizer("normal").standardize(given.scores).frame
    mean = found.means("stemmer").query("scheme == 'normal'")["mean"].mean()
    assert mean == pytest.approx(y.to_numpy().mean())


def test_the_mean_of_shards_is_no_shard(
    cdfscore: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is the mean of systems a system: each would be taken as more scores."""
    monkeypatch.chdir(tmp_path)
    own = long(NO_STEMMER, seed=2)
    for name, by, kind in (("shard", "system", "replicate"), ("system", "shard", "system")):
        summary = own.groupby(["topic", by], as_index=False)["score"].mean()
        pd.concat([own, summary.assign(**{name: "mean"})]).to_csv("l.csv", index=False)
        done = cdfscore(
            *("mixed-model", "l.csv", "--formula", "score ~ system", "--replicate", "shard"),
            *("-o", "a.md"),
        )
        assert done.status == 2
        assert f"{name} 'mean'" in done.err
        assert f"the name of a summary and not of a {kind}" in " ".join(done.err.split())
        assert not Path("a.md").exists()


def test_a_real_collection_is_read_as_topics_of_a_population(shared_data: Path) -> None:
    scores = as_scores(_read(shared_data / "adhoc" / "adhoc5_ap.csv"))
    found = mixed_model(scores, "score ~ system", schemes=[Standardizer("raw", missing="omit")])
    assert found.variances["component"].tolist() == ["topic", "residual"]
    assert "results are about a population of topics" in found.to_latex()
    n, k = scores.shape
    assert found.table["df_error"].item() == pytest.approx((n - 1) * (k - 1), rel=1e-6)


def _read(path: Path) -> object:
    from cdfscore import read_scores

    return read_scores(path)
