"""Data frames with a row a score are read as files with the same columns are."""

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import Standardizer, as_scores, compare, datasets, read_scores
from cdfscore.errors import ScoresError
from cdfscore.scores.dataframes import measure_of
from tests import a_tenth

SCORES = as_scores(datasets.load_cranfield("ap").iloc[:12, :4].round(4))
OTHERS = SCORES * 0.5 + 0.25


def tidy(*measures: str) -> pd.DataFrame:
    """Return a row a topic and system, with columns of measures, AP and others like it."""
    columns = {
        name: (SCORES if i == 0 else OTHERS).rename_axis(columns="system").stack()
        for i, name in enumerate(measures)
    }
    return pd.DataFrame(columns).reset_index()


MANY = [f"P_{i}" for i in range(1, 101)]
LONG = tidy("map", "P_10").melt(["topic", "system"], var_name="measure", value_name="value")
FORMS: dict[str, tuple[pd.DataFrame, dict[str, Any]]] = {
    "score": (tidy("score"), {}),
    "one measure by its name": (tidy("AP"), {}),
    "several measures in columns": (tidy("AP", "nDCG@10"), {"measure": "AP"}),
    "several measures in rows": (LONG, {"measure": "map"}),
    "other headers": (tidy("Score").rename(columns={"topic": "Query ID", "system": "run"}), {}),
    "another order": (tidy("AP", "x")[["x", "system", "AP", "topic"]], {"measure": "AP"}),
    "numbered rows": (tidy("AP").reset_index(names=""), {}),
    "as many measures as trec_eval has": (tidy("AP", *MANY), {"measure": "AP"}),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read_in_python_and_of_files(form: str, tmp_path: Path) -> None:
    frame, options = FORMS[form]
    frame.to_csv(tmp_path / "s.csv", index=False)
    frame.to_csv(tmp_path / "s.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "s.parquet")
    found = [read_scores(tmp_path / f"s.{end}", **options) for end in ("csv", "tsv", "parquet")]
    found.append(as_scores(frame, **options))
    if "" not in frame:  # which polars gives a name
        found.append(as_scores(pl.from_pandas(frame), **options))
    if "topic" in frame and "system" in frame and "" not in frame and "measure" not in frame:
        found.append(as_scores(frame.set_index(["topic", "system"]), **options))
        found.append(as_scores(frame.set_index("topic"), **options))
    for each in found:
        pd.testing.assert_frame_equal(each, SCORES, check_exact=True)
        named = form != "score" and form != "other headers"
        assert measure_of(each) == (options.get("measure", "AP") if named else None)


def test_functions_that_take_scores_take_tidy_frames() -> None:
    frame = tidy("AP")
    expected = compare(SCORES, "paired_t").table
    pd.testing.assert_frame_equal(compare(frame, "paired_t").table, expected)
    found = Standardizer("empirical").fit_transform(pl.from_pandas(frame))
    assert isinstance(found, pl.DataFrame)
    assert found.columns == ["topic", *SCORES.columns]
    with pytest.raises(ScoresError, match=r"2 measures: AP, nDCG; choose one by measure=..., as"):
        compare(tidy("AP", "nDCG"), "paired_t")


def test_the_only_system_is_named_by_the_user() -> None:
    system = SCORES.columns[1]
    one = LONG[LONG["system"] == system].drop(columns="system")
    with pytest.raises(ScoresError, match=r"no column of systems; expected one, or .* system='NAM"):
        as_scores(one, measure="map")
    found = as_scores(one, measure="map", system="mine")
    assert found["mine"].tolist() == SCORES[system].tolist()
    # Without a measure and a system it is a matrix of a system that is called score.
    plain = one[one["measure"] == "map"].rename(columns={"value": "score"})[["topic", "score"]]
    assert as_scores(plain).columns.tolist() == ["score"]
    assert as_scores(plain, system="mine").columns.tolist() == ["mine"]


@a_tenth
@given(st.permutations(range(len(LONG))), st.sampled_from(["map", "P_10"]))
def test_the_order_of_rows_changes_no_score(order: list[int], measure: str) -> None:
    found = as_scores(LONG.iloc[order], measure=measure)
    expected = SCORES if measure == "map" else OTHERS
    assert found.loc[SCORES.index, SCORES.columns].equals(expected.rename_axis("topic"))


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (tidy("AP", "x"), {}, "scores has scores of 2 measures: AP, x; choose one by measure=..."),
        (tidy("AP", "x"), {"measure": "APs"}, "no measure 'APs' (did you mean 'AP'?); it has AP, "),
        (tidy("AP"), {"measure": "x"}, "no measure 'x'; it has AP"),
        (tidy("score"), {"measure": "x"}, "a data frame, for which measure='x' is not accep"),
        (tidy("AP"), {"system": "x"}, "a data frame, for which system='x' is not accep"),
        (tidy("AP", "x"), {"measure": 5}, "measure=5 of scores is not accepted; expected text"),
        (tidy("AP"), {"system": ["x"]}, "system=['x'] of scores is not accepted; expected text"),
        (SCORES, {"measure": "AP"}, "a data frame, for which measure='AP' is not accep"),
        (SCORES, {"system": "x"}, "a data frame, for which system='x' is not accep"),
        (tidy("AP").assign(AP="x"), {}, "row 1, topic '1', system "),
        (pd.concat([tidy("AP")] * 2), {}, "row 49, topic '1', system "),
        (tidy("score").assign(n=3), {}, "has a row for each score, and also the column 'n'"),
        (tidy("score").assign(query="x"), {}, "and 2 columns of topics, 'topic', 'query'"),
    ],
)
def test_bad_frames_are_refused_in_a_sentence(
    frame: pd.DataFrame, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ScoresError) as caught:
        as_scores(frame, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
