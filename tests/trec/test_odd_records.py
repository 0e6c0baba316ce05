"""What hardly any run has: numbers that are none, two names of a system, very many documents."""

from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from cdfscore.errors import MeasureError, RunError
from cdfscore.retrieval.measuring import parse_measure
from cdfscore.retrieval.runs import RunFile, has_duplicates, run_of, runs_given

FRAME = pd.DataFrame(
    {"query_id": ["301", "301", "302"], "doc_id": ["d7", "d2", "d2"], "score": [2.5, 1.5, 9.0]}
)


@pytest.mark.parametrize(
    ("score", "shown"),
    [
        (10**400, "1000000000"),
        (-(10**400), "-1000000000"),
        ([1.0], "[1.0]"),
        (Decimal("sNaN"), "Decimal('sNaN')"),
    ],
)
def test_a_score_that_no_double_is_near_is_refused(score: object, shown: str) -> None:
    frame = FRAME.astype(object)
    frame.iloc[1, 2] = score
    with pytest.raises(RunError) as caught:
        run_of("a", frame)
    assert str(caught.value).startswith(
        f"the run 'a', topic '301', document 'd2': the score {shown}"
    )
    assert "is not a finite number; expected one such as 12.5" in str(caught.value)


def test_two_columns_of_systems_are_refused() -> None:
    with pytest.raises(RunError) as caught:
        runs_given(FRAME.assign(run="x", system="y"))
    assert "has the columns 'run', 'system'; expected one of the systems, or none" in str(
        caught.value
    )


def test_a_name_that_is_given_comes_before_that_of_the_file() -> None:
    file = RunFile(Path("input.bm25"), "bm25")
    assert runs_given({"lsa ": file}).runs == [(file.path, "lsa")]
    assert runs_given(file).runs == [(file.path, "bm25")]


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("P(cutoff=5)@10", "measure 'P(cutoff=5)@10' has cutoff twice; expected it once"),
        ("IPrec(recall=0.1)@0.2", "has recall twice; expected it once"),
        ("VDCG(cutoff=5)@5", "has cutoff twice; expected it once"),
    ],
)
def test_a_cutoff_is_given_once(text: str, fragment: str) -> None:
    with pytest.raises(MeasureError) as caught:
        parse_measure(text)
    assert fragment in str(caught.value)


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("documents", [5, 5000])
def test_a_topic_has_a_document_twice(documents: int, twice: bool) -> None:
    """Of 5,000 topics and documents: the many pairs are not counted one by one."""
    rng = np.random.default_rng(documents)
    pairs = rng.choice(5000 * documents, 5000, replace=False)
    topics, codes = np.divmod(np.append(pairs, pairs[7] if twice else []).astype(int), documents)
    names = pa.array([f"d{i}" for i in range(documents)])
    of_each = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), names)
    assert has_duplicates(topics, of_each) == twice
