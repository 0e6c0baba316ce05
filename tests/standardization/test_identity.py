"""Whether scores and their reference are of one measure: by name, and by what they look like."""

import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import (
    Standardizer,
    as_scores,
    compare,
    datasets,
    load_factors,
    read_scores,
    save_factors,
    write_scores,
)
from cdfscore.errors import CdfscoreError, CdfscoreWarning
from cdfscore.scores.dataframes import measure_of
from cdfscore.standardization import cautions

SYSTEMS, TOPICS = list("abc"), ["301", "302", "303"]


def of(seed: int) -> pd.DataFrame:
    values = np.random.default_rng(seed).random((3, 3))
    return pd.DataFrame(values, index=pd.Index(TOPICS, name="topic"), columns=SYSTEMS)


def parquet(folder: Path, measure: str, seed: int) -> pd.DataFrame:
    write_scores(long_frame(folder, measure, seed), folder / f"{seed}.parquet")
    return read_scores(folder / f"{seed}.parquet")


def standardized_parquet(folder: Path, measure: str, seed: int) -> pd.DataFrame:
    y = Standardizer("normal").standardize(long_frame(folder, measure, seed)).scores
    write_scores(y, folder / f"y{seed}.parquet")
    return read_scores(folder / f"y{seed}.parquet")


def long(measure: str, seed: int) -> pd.DataFrame:
    rows = of(seed).reset_index().melt("topic", var_name="system", value_name="score")
    rows.insert(2, "measure", measure)
    return rows


def long_frame(_: Path, measure: str, seed: int) -> pd.DataFrame:
    return as_scores(long(measure, seed))


def long_csv(folder: Path, measure: str, seed: int) -> pd.DataFrame:
    long(measure, seed).to_csv(folder / f"{seed}.csv", index=False)
    return read_scores(folder / f"{seed}.csv")


def long_json_lines(folder: Path, measure: str, seed: int) -> pd.DataFrame:
    rows = long(measure, seed).to_dict("records")
    (folder / f"{seed}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return read_scores(folder / f"{seed}.jsonl")


def trec_eval(folder: Path, measure: str, seed: int) -> pd.DataFrame:
    files = []
    for system, scores in of(seed).items():
        lines = [f"{measure}\t{topic}\t{x!r}\n" for topic, x in scores.items()]
        files.append(folder / f"{system}{seed}.eval")
        files[-1].write_text("".join(lines))
    return read_scores(files, measure=measure)


def per_topic(_: Path, measure: str, seed: int) -> pd.DataFrame:
    """The dictionaries of pytrec_eval and of ranx: {topic: {measure: score}}."""
    frames = [
        as_scores({t: {measure: x} for t, x in own.items()}, measure=measure, system=str(name))
        for name, own in of(seed).items()
    ]
    found = pd.concat(frames, axis=1)
    found.attrs = frames[0].attrs
    return found


FORMS = [parquet, standardized_parquet, long_frame, long_csv, long_json_lines, trec_eval, per_topic]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_a_form_that_can_carry_the_measure_does(tmp_path: Path, form: Callable) -> None:
    """Beside a reference, and beside saved factors, of another measure it is refused."""
    scores, same = form(tmp_path, "map", 1), long_frame(tmp_path, "map", 2)
    assert measure_of(scores) == "map"
    other = long_frame(tmp_path, "ndcg", 3)
    for reference, new in ((other, scores), (scores, other)):
        with pytest.raises(CdfscoreError, match=r"of the measure \w+ and the reference is of"):
            Standardizer("normal").standardize(new, reference)
        save_factors(Standardizer("normal").fit(reference), tmp_path / "f.json")
        with pytest.raises(CdfscoreError, match="and the factors are of"):
            load_factors(tmp_path / "f.json").standardize(new)
        with pytest.raises(CdfscoreError, match="and the reference is of"):
            compare(new, "paired_t", scheme="normal", reference=reference)
    assert Standardizer("normal").standardize(scores, same).factors.measure == "map"


def test_a_measure_that_only_one_names_is_said(tmp_path: Path) -> None:
    named, plain = long_frame(tmp_path, "map", 1), of(2)
    for pair, which in (((named, plain), "reference scores"), ((plain, named), "scores")):
        found = Standardizer("normal").standardize(*pair)
        assert f"the {which} name no measure; map is assumed" in found.notes
    notes = Standardizer("normal").standardize(named).notes
    assert not any("is assumed" in note for note in notes)


MEASURES = ["ap", "ndcg10", "p10", "rr"]
QUESTION = ": are they of the same measure, on the same judgments?"
N_STD = Standardizer("normal", constant="half")


def doubts(new: pd.DataFrame, reference: pd.DataFrame) -> list[str]:
    """The cautions on new systems, as the result gives them and as warnings."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always", CdfscoreWarning)
        found = N_STD.standardize(new, reference).cautions
    assert [str(each.message) for each in given] == found
    return [each.removesuffix(QUESTION) for each in found if each.endswith(QUESTION)]


@pytest.fixture
def half() -> Callable[[str], pd.DataFrame]:
    """Scores by a measure, with 67 systems in a random order."""
    order = np.random.default_rng(5).permutation(67)

    def scores(measure: str) -> pd.DataFrame:
        found = datasets.load_cranfield(measure).iloc[:, order]
        found.attrs.clear()  # of no measure that is named
        return found

    return scores


@pytest.mark.clause("reference.1")
def test_random_parts_of_one_population_are_no_doubt() -> None:
    """New and reference systems of each bundled measure, at random, also on few topics."""
    rng = np.random.default_rng(11)
    for measure in MEASURES:
        values = datasets.load_cranfield(measure).to_numpy()
        for _ in range(150):
            systems, topics = rng.permutation(67), rng.permutation(225)[: rng.integers(5, 225)]
            m, n = rng.integers(1, 15), rng.integers(2, 52)
            own = values[topics][:, systems]
            assert cautions._apart(own[:, :m], own[:, m : m + n]) == []


@pytest.mark.clause("reference.1")
@pytest.mark.parametrize("seed", range(3))
def test_scores_of_other_topics_are_doubted(half: Callable, seed: int) -> None:
    """As by other judgments, or with the labels of other topics."""
    scores = half("ap")
    new, reference = scores.iloc[:, :6], scores.iloc[:, 6:]
    assert doubts(new, reference) == []
    order = np.random.default_rng(seed).permutation(len(new))
    (caution,) = doubts(new.iloc[order].set_axis(new.index), reference)
    assert caution.startswith("the 6 new systems find other topics difficult than the reference")


@pytest.mark.clause("reference.1")
@pytest.mark.parametrize(
    ("change", "side"),
    [(lambda x: x**3, "below"), (lambda x: x ** (1 / 3), "above"), (lambda x: x * 0.05, "below")],
)
def test_a_group_beyond_the_reference_is_doubted(half: Callable, change: Any, side: str) -> None:
    scores = half("ap")
    (caution, *_) = doubts(change(scores.iloc[:, :6]), scores.iloc[:, 6:])
    assert re.match(
        rf"all 6 new systems are {side} 55 or more of the 61 reference systems on \d+ of 225 t",
        caution,
    )


@pytest.mark.clause("reference.1")
@pytest.mark.parametrize("other", ["ndcg10", "rr"])
def test_a_system_with_the_same_name_has_the_same_scores(half: Callable, other: str) -> None:
    scores = half("ap")
    name = scores.columns[0]
    assert doubts(scores.iloc[:, :6], scores) == []
    assert doubts(scores.iloc[:, :6].round(4), scores) == []  # printed with four digits
    (caution,) = doubts(half(other).iloc[:, :1], scores)
    assert re.match(
        rf"1 system \({re.escape(name)}\) is in the reference too, with other scores on \d+ of",
        caution,
    )
