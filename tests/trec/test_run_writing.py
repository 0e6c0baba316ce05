"""Runs that are written are read back with the same documents, ranks and doubles."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.errors import OutputError
from cdfscore.retrieval import encode_run, read_run
from cdfscore.retrieval.merging import merge
from cdfscore.retrieval.merging.merging import as_read, read_all
from cdfscore.retrieval.runs import Run, run_of
from tests import a_tenth

WORDS = st.sampled_from(
    ["d1", "d10", "D", "é", "ﬀ", "\U0001f600", "#", "#t", "~", '"', "1e5", "a\x85b", "\ufeffa"]
)
TOPICS = WORDS.filter(lambda word: word != "#" and word[0] != "\ufeff")
DOUBLES = st.floats(allow_nan=False, allow_infinity=False)


def columns(run: Run) -> Any:
    documents = run.documents.to_pylist()
    scores = [(score, math.copysign(1, score)) for score in run.scores.tolist()]
    return run.topics, run.starts.tolist(), documents, scores, run.ranks.tolist()


@pytest.mark.clause("trec_run.2")
@a_tenth
@given(
    st.dictionaries(TOPICS, st.dictionaries(WORDS, DOUBLES, min_size=1), min_size=1),
    st.sampled_from([1, 2, 1000]),
)
def test_a_run_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, scores: dict[str, dict[str, float]], block: int
) -> None:
    run = merge({"a": scores}, "raw", name="m~é").run
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cdfscore.retrieval.runs._BLOCK", block)
        path = tmp_path_factory.mktemp("runs") / "x.run"
        path.write_bytes(b"".join(encode_run(run)))
    found = read_run(path)
    assert (found.system, columns(found)) == ("m~é", columns(run))


@pytest.mark.clause("trec_run.2")
@pytest.mark.parametrize("label", ["", " ", "a b", "a\tb", "a\nb", "a\rb", "a\vb", "\fa"])
@pytest.mark.parametrize("kind", ["run id", "topic", "document"])
def test_a_label_that_ends_a_column_is_refused(label: str, kind: str) -> None:
    given = {"run id": "m", "topic": "1", "document": "x", kind: label}
    run = run_of("m", {"1": {"x": 2.0, "y": 1.0}})
    documents = run.documents.dictionary_decode().to_pylist()
    documents[1] = given["document"]
    own = pa.array(documents).dictionary_encode()
    ranks = np.array([1.0, 2.0])
    odd = Run(given["run id"], "m", (given["topic"],), run.starts, own, run.scores, ranks)
    with pytest.raises(OutputError) as error:
        list(encode_run(odd))
    assert str(error.value) == (
        f"the {kind} {label!r} is empty or has a space, which ends a column of a run; expected a "
        "word"
    )


@pytest.mark.clause("trec_run.2")
@pytest.mark.parametrize("topic", ["#", "\ufeff1"])
def test_a_topic_that_would_not_be_read_back_is_refused(topic: str) -> None:
    run = merge({"a": {"1": {"x": 1.0}, topic: {"x": 1.0}}}).run
    with pytest.raises(OutputError, match=r"^the topic '.*' begins with '.*', so that a reader wo"):
        list(encode_run(run))


def test_labels_with_spaces_are_merged_in_memory_and_not_written() -> None:
    merged = merge({"a b": {"topic 1": {"x y": 2.0, "z": 1.0}}})
    assert merged.frame()["document"].tolist() == ["x y", "z"]
    with pytest.raises(OutputError, match=r"^the topic 'topic 1' is empty or has a space"):
        list(merged.encoded())


def test_runs_are_read_in_threads_as_one_by_one(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    paths = {}
    for i in range(9):
        lists = {f"{t}": {f"d{j}": float(x) for j, x in enumerate(rng.random(20))} for t in "123"}
        paths[f"s{i}"] = tmp_path / f"{i}.run"
        paths[f"s{i}"].write_bytes(b"".join(merge({"a": lists}, "raw", name="x").encoded()))
    found, _ = read_all(paths, None)
    assert [run.system for run in found] == list(paths)
    for run, own in zip(found, as_read(paths), strict=True):
        assert columns(run)[:4] == columns(own)[:4]
    alone = {name: read_run(path, name) for name, path in paths.items()}
    merged = merge(list(alone.values()), duplicates="sum").frame()
    assert merged.equals(merge(paths, duplicates="sum").frame())
