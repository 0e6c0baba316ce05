"""A mixed model that could be misread says so: in notes, caption, stderr, and as a warning."""

from pathlib import Path

import pandas as pd
import pytest

from cdfscore import Standardizer
from cdfscore.errors import CdfscoreWarning
from cdfscore.models import mixed_model
from tests.cli.conftest import Run
from tests.models.designs import COMPONENTS
from tests.models.mixed_designs import long, replicated

AT_0 = "raw: the variance of topic:stemmer is estimated as 0, its smallest possible value"
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
    cdfscore: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
