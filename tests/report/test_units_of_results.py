"""Results say models and tasks where the header of the scores does, and else systems and topics."""

import html
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import (
    Standardizer,
    as_scores,
    compare,
    diagnose,
    leave_one_out,
    read_scores,
    sensitivity,
    standardize_parquet,
)
from cdfscore.common.text import in_units, kept
from cdfscore.comparison.correlation import correlate
from cdfscore.errors import CdfscoreError, ScoresError
from cdfscore.models import anova, mixed_model, plan
from cdfscore.report import write_report
from cdfscore.report.comparison import caption, description, encode_letters, for_terminal
from cdfscore.report.methods import methods, results
from cdfscore.report.writing import paper_tables_of, tables_of
from cdfscore.scores.dataframes import notes_of

Words = tuple[str, str]
HEADERS = {"model": ("model", "task"), "topic": ("system", "topic")}
SCHEMES = ["raw", "normal", "empirical"]


@cache
def scores(header: str, tmp: str) -> pd.DataFrame:
    """Return scores of a file with this header: rows are models if it is theirs."""
    rng = np.random.default_rng(3)
    values = rng.beta(2, 5, (12, 1)) * 0.4 + rng.beta(2, 5, (12, 9)) * 0.6
    values[2] = 0.5  # a constant topic
    frame = pd.DataFrame(values, [f"t{i}" for i in range(12)], [f"s{i}" for i in range(9)])
    frame = frame.T if header == "model" else frame
    path = f"{tmp}/{header}.csv"
    frame.rename_axis(header).to_csv(path)
    return read_scores(path)


RESULTS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "compare": lambda s: compare(s, "paired_t", scheme=SCHEMES),
    "compare by ranks": lambda s: compare(s, "wilcoxon_signed_rank", scheme="empirical"),
    "compare at once": lambda s: compare(s, "friedman"),
    "compare with a baseline": lambda s: compare(s, "dunnett", baselines="s1"),
    "compare unpaired": lambda s: compare(s, "welch_t", scheme="z"),
    "compare with uncertainty": lambda s: compare(
        s, "paired_t", scheme="normal", reference_uncertainty=200
    ),
    "sensitivity": lambda s: sensitivity(s, SCHEMES),
    "diagnose": lambda s: diagnose(s, ["normal", "beta"], bootstrap=0),
    "model": lambda s: anova(s, "score ~ topic + system", schemes=SCHEMES),
    "mixed-model": lambda s: mixed_model(s, "score ~ system", schemes=SCHEMES),
    "plan": lambda s: plan(s, "two_way:difference=0.2", check=100),
    "plan by reliability": lambda s: plan(s, "generalizability:reliability=0.5"),
    "correlate": lambda s: correlate(s, s, scheme=Standardizer("normal", constant="drop_topic")),
    "standardize": lambda s: Standardizer("normal").fit(s).standardize(s),
}


def texts_of(found: Any) -> list[str]:
    told = [*found.notes, *getattr(found, "verdict", ()), getattr(found, "answer", "")]
    told += getattr(found, "cautions", [])
    if type(found).__name__ == "Correlation":
        return told
    for table in (*tables_of(found), *paper_tables_of(found)):
        told += [table.title, table.caption, *(column.header for column in table.columns)]
        of_all = [own for own in table.columns if own.header in ("systems", "models")]
        told += [cell for own in of_all for cell in own.cells]
    if type(found).__name__ == "Comparison":
        told += [caption(found), description(found), methods(found), results(found)]
        told += [table.caption for table in for_terminal(found)]
    return told


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.filterwarnings("ignore::cdfscore.errors.CdfscoreWarning")
def test_texts_have_the_units_of_the_scores(
    header: str, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = RESULTS[name](scores(header, str(tmp_path_factory.getbasetemp())))
    others = [words for words in HEADERS.values() if words != HEADERS[header]]
    told = [re.sub(r"Settings: .*?\.(\s|$)|\S*/\S*", "", text) for text in texts_of(found)]
    for word in (word for words in others for word in words):
        # A model may be one of the analysis; what stands between quotes is as it was typed.
        pattern = rf"(?i)(?<!mixed )(?<!of the )\b{word}s?\b(?! without| are estimated)"
        bad = [text for text in told if re.search(pattern, re.sub(r"'[^']*'", "", text))]
        assert bad == [], word
    assert any(word in text for text in told for word in HEADERS[header])


def test_what_is_quoted_or_set_keeps_its_words() -> None:
    told = "Topic 'a topic' of 2 systems. Settings: formula topic+system. Topics"
    changed = "Task 'a topic' of 2 models. Settings: formula topic+system. Tasks"
    assert in_units(("model", "task"), told) == changed
    same = "drop_topic, topic.csv, a/topics.csv, topics/a.csv, my systems/a.csv, sub-topic"
    assert in_units(("model", "task"), same) == same


@pytest.mark.parametrize("label", ["topic", "x's system", "task's topics", 'a "topic"', "topics'"])
def test_labels_in_a_sentence_keep_their_words(label: str) -> None:
    for quoted in (kept(label), repr(label)):
        told = in_units(("model", "task"), f"topic {quoted} of systems and {quoted}, a topic")
        assert told == f"task {quoted} of models and {quoted}, a task"


NAMED = ("system", "topic", "my system", "Topics", "topics.csv", "plain")


def test_names_of_models_and_tasks_stay_as_they_are(tmp_path: Path) -> None:
    """Where a sentence names them, and they have the words that other sentences are renamed by."""
    rng = np.random.default_rng(8)
    values = rng.random((len(NAMED), 9)).round(3) + np.arange(len(NAMED))[:, None]
    values[:, 2] = 0.5
    tasks = ["a topic", "left system", "system score", *(f"t{i}" for i in range(6))]
    path = tmp_path / "topics.csv"
    pd.DataFrame(values, pd.Index(NAMED, name="model"), tasks).to_csv(path)
    read = read_scores(path, drop_topics=["left system"])
    of_two = {"baselines": ["topic", "my system"]}
    told = [note for note in notes_of(read) if note.startswith(f"{path}: task")]
    assert told == [f"{path}: task 'left system' is left out, as asked"]
    found = compare(read, "paired_t", scheme="normal", **of_two)
    assert "against the baselines 'topic', 'my system', 9 hypotheses" in caption(found)
    assert "task 'system score' is constant" in " ".join(found.notes)
    reversed_scores = Standardizer("normal", lower_is_better=["a topic"]).fit(read)
    assert "lower is better on task 'a topic'" in " ".join(reversed_scores.standardize(read).notes)
    page = tmp_path / "page.html"
    write_report(found, page, verify=False)
    words = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", page.read_text(), flags=re.DOTALL)
    words = html.unescape(words)
    assert "4 models are significantly ahead of the baseline topic: " in words
    for name in ("topic", "my system"):
        assert re.search(rf"significantly (ahead of|behind) the baseline {name}: ", words)
    bare = re.sub(r"'[^'\n]*'|(?:" + "|".join((*NAMED, *tasks)) + r")(?![a-z])", "", words)
    assert re.findall(r".*\b(?:systems|topics)\b.*", bare) == []


WIDE = "model,t1,t2\na,0.1,0.2\nb,0.3,0.4\n"
LONG = "task,model,score\nt1,a,0.1\nt2,a,0.2\nt1,b,0.3\nt2,b,0.4\n"
BAD = {
    "a cell": (WIDE.replace("0.3", "x"), {}, "'x' is not a"),
    "twice": (WIDE.replace("\nb", "\na"), {}, "model 'a' appears twice"),
    "absent": (WIDE, {"drop_topics": ["t3"]}, "has no task 't3'"),
    "a summary": (WIDE.replace("b,", "Mean,"), {}, "has a model 'Mean', the name of a"),
    "a cell of a row": (LONG.replace("0.3", "x"), {}, "task 't1', model 'b'"),
    "a row twice": (LONG + "t1,a,0.1\n", {}, "task 't1', model 'a': this score was"),
    "an absent row": (LONG, {"keep_systems": ["c"]}, "has no model 'c'"),
    "a summary of rows": (LONG.replace(",b,", ",Mean,"), {}, "has a model 'Mean', the name of a"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("of_frame", [False, True])
def test_errors_of_reading_have_the_words_of_the_header(
    name: str, of_frame: bool, tmp_path: Path
) -> None:
    text, given, told = BAD[name]
    path = tmp_path / "my topics (final).csv"
    path.write_text(text)
    with pytest.raises(ScoresError) as raised:
        as_scores(pd.read_csv(path), **given) if of_frame else read_scores(path, **given)
    said = re.sub(r"'[^']*'|\w+=\S*", "", str(raised.value))
    assert told in str(raised.value) or (of_frame and name == "a cell")
    assert re.findall(r"(?i)\b(?:system|topic)s?\b", said) == []
    assert of_frame or f"'{path}'" in str(raised.value)


@pytest.mark.parametrize("of_frame", [False, True])
def test_a_system_with_the_name_of_a_header_is_none(of_frame: bool, tmp_path: Path) -> None:
    (path := tmp_path / "s.csv").write_text(",model,base\nt1,0.1,0.2\nt1,0.3,0.4\n")
    frame = pd.read_csv(path, index_col=0)
    with pytest.raises(ScoresError, match="topic 't1' appears twice"):
        as_scores(frame) if of_frame else read_scores(path)


def test_names_that_are_known_are_told_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(LONG.replace("t1", "topic 1").replace(",b,", ",my system,"))
    for asked, told in (
        ({"drop_topics": ["topik"]}, "('topic 1', t2)"),
        ({"drop_systems": ["zz"]}, "(a, 'my system')"),
    ):
        with pytest.raises(ScoresError) as raised:
            read_scores(path, **asked)
        assert told in str(raised.value)


@pytest.mark.parametrize("header", HEADERS)
def test_errors_after_reading_have_the_words_of_the_header(header: str, tmp_path: Path) -> None:
    read = scores(header, str(tmp_path))
    gap = read.astype(float)
    gap.iloc[1, 1] = np.nan
    constant = Standardizer("normal", constant="raise")
    lower = Standardizer("normal", lower_is_better=["x"])
    factors = Standardizer("normal").fit(read.iloc[:9])
    calls = [
        lambda: compare(gap, "paired_t"),
        lambda: compare(read, "paired_t", baselines="x"),
        lambda: sensitivity(read, [constant, "raw"]),
        lambda: diagnose(gap, ["normal"]),
        lambda: constant.fit(read),
        lambda: lower.fit_transform(read),
        lambda: leave_one_out(read, constant),
        lambda: factors.standardize(read),
        lambda: correlate(gap, read),
        lambda: anova(gap, "score ~ topic + system"),
    ]
    others = next(words for words in HEADERS.values() if words != HEADERS[header])
    for call in calls:
        with pytest.raises(CdfscoreError) as raised:
            call()
        told = re.sub(r"'[^']*'|\w+=\S*", "", str(raised.value))
        assert re.search(rf"\b(?:{'|'.join(HEADERS[header])})s?\b", told), told
        assert not re.search(rf"\b(?:{'|'.join(others)})s?\b", told), told


def test_streams_have_the_words_of_their_header(tmp_path: Path) -> None:
    rows = pd.DataFrame(
        [(t, m, v) for m, v in (("a", 0.1), ("b", 0.5), ("c", 0.5)) for t in ("t1", "t2")],
        columns=["task", "model", "score"],
    )
    rows.loc[rows["task"] == "t2", "score"] = 0.5
    wide = rows.pivot_table(index="task", columns="model", values="score")
    for frame in (rows, wide.reset_index()):
        frame.to_parquet(tmp_path / "s.parquet")
        for constant, told in (("raise", "constant tasks: 1"), ("limit", "task t2 is constant")):
            how, out = Standardizer("normal", constant=constant), tmp_path / "y.parquet"
            if constant == "raise":
                with pytest.raises(CdfscoreError, match=told):
                    standardize_parquet(tmp_path / "s.parquet", out, how)
            else:
                found = standardize_parquet(tmp_path / "s.parquet", out, how)
                assert any(told in note for note in found.notes), found.notes
                assert re.search(r"(?i)\b(topic|system)s?\b", " ".join(found.notes)) is None


def test_constant_tasks_are_quoted(tmp_path: Path) -> None:
    values = np.random.default_rng(4).random((9, 7))
    values[:2] = 0.5
    frame = pd.DataFrame(values, ["my topic", *(f"t{i}" for i in range(8))], list("abcdefg"))
    frame.rename_axis("task").to_csv(tmp_path / "a.csv")
    notes = Standardizer("normal").standardize(read_scores(tmp_path / "a.csv")).notes
    assert "2 tasks ('my topic', t0) are constant in the reference" in " ".join(notes)


def test_tables_with_a_row_a_score_have_the_words_of_their_header(tmp_path: Path) -> None:
    path = tmp_path / "my topics (final).csv"
    for text, words in ((LONG, HEADERS["model"]), (LONG.replace("model", "run"), HEADERS["model"])):
        path.write_text(text)
        read = read_scores(path, drop_topics=["t2"])
        assert compare(read, "paired_t", scheme="raw").units == words
        assert notes_of(read) == [f"'{path}': task t2 is left out, as asked"]


def test_copies_are_named_as_they_are(tmp_path: Path) -> None:
    values = np.random.default_rng(3).random((12, 2)).round(3)
    names = ["x's system", "b", "my topic", "topic"]
    frame = pd.DataFrame(np.hstack([values, values]), [f"t{i}" for i in range(12)], names)
    frame.rename_axis("task").to_csv(tmp_path / "a.csv")
    told = " ".join(compare(read_scores(tmp_path / "a.csv"), "paired_t").notes)
    assert "2 groups of models" in told
    assert "(\"x's system\" = 'my topic', b = 'topic')" in told


def test_the_table_of_letters_counts_the_pairs_of_each_system(tmp_path: Any) -> None:
    own = scores("topic", str(tmp_path))
    found = compare(own, "nemenyi")
    rows = encode_letters(found, tmp_path / "letters.csv").decode().splitlines()
    assert rows[0] == "scheme,system,mean,mean_rank,letters,won,undecided,lost"
    outcomes = found.outcomes()
    assert (outcomes.sum(axis=1) == 8).all()
    significant = int((found.table["p_adjusted"] <= 0.05).sum())
    assert outcomes["won"].sum() == outcomes["lost"].sum() == significant
    assert list(outcomes.index) == [row.split(",")[1] for row in rows[1:]]
