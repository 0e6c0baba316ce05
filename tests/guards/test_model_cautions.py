"""Cautions on linear and mixed models: in notes, caption, stderr, and as a warning."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import CdfscoreWarning, Standardizer, datasets
from cdfscore.models import anova, as_replicates, mixed_model
from tests.cli.conftest import Run
from tests.models.designs import COMPONENTS
from tests.models.mixed_designs import long, replicated

NAMES = [f"s{i}" for i in range(12)]
VENDORS = pd.DataFrame(
    {"system": NAMES, "vendor": ["x"] * 6 + ["y"] * 6, "part": list("abcdef") * 2}
)
SAME = "systems such as 's0' and 's1' have the same vendor: their differences on all topics"
ON_TOPICS = "the effect of vendor is assumed to be the same on all topics, because topic:vendor is"
APART = "several scores of a system on a topic are treated as independent, because topic:system"
NO_TOPIC = "topic is not in the formula, so the scores on a topic are treated as independent"


def scores(seed: int = 0, topics: int = 30, systems: float = 0.05) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    y = 0.3 + 0.1 * rng.normal(size=(topics, 1)) + systems * rng.normal(size=(1, 12))
    y = y + 0.05 * rng.normal(size=(topics, 12))
    return pd.DataFrame(y, index=[f"t{i}" for i in range(topics)], columns=NAMES)


def told(call, *arguments, **settings) -> list[str]:
    """Return the notes of a result, all of which are warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CdfscoreWarning)
        notes: list[str] = call(*arguments, **settings).notes
    assert notes == [str(each.message) for each in caught]
    return notes


def starts(notes: list[str]) -> list[str]:
    every = (SAME, ON_TOPICS, APART, NO_TOPIC)
    return [next(start for start in every if note.startswith(start)) for note in notes]


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("score ~ topic + vendor", [SAME]),
        ("score ~ topic * vendor", [SAME]),
        ("score ~ topic + vendor * part", []),
        ("score ~ topic + system", []),
        ("score ~ system", [NO_TOPIC]),
        ("score ~ vendor", [SAME, NO_TOPIC]),
    ],
)
def test_analysis_of_variance(formula: str, expected: list[str]) -> None:
    assert starts(told(anova, scores(), formula, VENDORS)) == expected


def test_scores_of_one_topic() -> None:
    one = scores().iloc[:1]
    assert told(anova, one, "score ~ vendor", VENDORS) == [
        *told(anova, scores(), "score ~ vendor", VENDORS),
        "all scores are of one topic, so they show nothing about others",
    ]


@pytest.mark.parametrize(
    ("formula", "random", "expected"),
    [
        ("score ~ vendor", ["topic"], [SAME, ON_TOPICS]),
        ("score ~ vendor", ["topic", "topic:vendor"], [SAME]),
        ("score ~ system", ["topic"], []),
        ("score ~ vendor + part", ["topic", "topic:vendor", "topic:part"], []),
    ],
)
def test_mixed_models(formula: str, random: list[str], expected: list[str]) -> None:
    notes = told(mixed_model, varied(scores()), formula, VENDORS, random=random)
    assert starts(notes) == expected


def varied(frame: pd.DataFrame) -> pd.DataFrame:
    """Return scores on which the effects of vendors and parts vary from topic to topic."""
    rng = np.random.default_rng(5)
    vendors, parts = (pd.factorize(VENDORS[name])[0] for name in ("vendor", "part"))
    return (
        frame
        + 0.05 * rng.normal(size=(len(frame), 2))[:, vendors]
        + 0.05 * rng.normal(size=(len(frame), 6))[:, parts]
    )


@pytest.mark.parametrize(
    ("formula", "random", "count"),
    [
        ("score ~ system", ["topic"], 2),
        ("score ~ system", ["topic", "topic:system"], 0),
        ("score ~ system + shard", ["topic", "topic:system"], 1),
        ("score ~ system + shard", ["topic", "topic:shard"], 2),
        ("score ~ system + shard", ["topic", "topic:system", "topic:shard"], 0),
    ],
)
def test_replicates(formula: str, random: list[str], count: int) -> None:
    rng = np.random.default_rng(2)
    y = rng.normal(size=(20, 1, 1)) + rng.normal(size=(20, 4, 1)) + rng.normal(size=(20, 4, 3))
    y = y + rng.normal(size=(20, 1, 3))
    rows = [(f"t{t}", "abcd"[s], "xyz"[r], y[t, s, r]) for t, s, r in np.ndindex(20, 4, 3)]
    given = as_replicates(
        pd.DataFrame(rows, columns=["topic", "system", "shard", "score"]), "shard"
    )
    notes = told(mixed_model, given, formula, random=random)
    assert len(notes) == count
    assert any(note.startswith(APART) for note in notes) == ("topic:system" not in random)
    if count == 2:
        assert notes[0].startswith("the effect of system is assumed to be the same on all topics")


def test_the_grid_of_the_page_is_named() -> None:
    parts = datasets.load_cranfield_components()
    ap = datasets.load_cranfield_grid("ap")
    (note,) = told(anova, ap, "score ~ topic + stemmer * model", parts)
    assert note.startswith(
        "systems such as 'none_none_bm25' and 'none_short_bm25' have the same st"
    )
    assert told(anova, ap, "score ~ topic + stemmer * stoplist * model", parts) == []


@pytest.mark.long
@pytest.mark.parametrize(("systems", "rate"), [(0.05, 0.70), (0.0, 0.05)])
def test_without_it_groups_of_equal_quality_differ_in_70_of_100_tests(
    systems: float, rate: float
) -> None:
    """As the page says; systems of one quality within a group are found at 5 %."""
    count = 60
    found = [
        anova(scores(seed, 50, systems), "score ~ topic + vendor", VENDORS).table["p_value"][1]
        for seed in range(count)
    ]
    error = np.sqrt(rate * (1 - rate) / count)
    assert np.mean(np.array(found) <= 0.05) == pytest.approx(rate, abs=3 * error)


AT_0 = "raw scores: the variance of topic:stemmer is estimated as 0, its smallest possible value"
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
        "N-std standardizes all replicates of a topic by one distribution, and counts each "
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
