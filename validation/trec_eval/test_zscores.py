"""trec_eval's own expected output under ``-Z``, from the z of cdfscore: all 387 lines."""

from pathlib import Path

import pytest

from cdfscore import Factors
from cdfscore.standardization.formats import read_trec_eval_factors
from validation.trec_eval.measures import ranking, relevance_string, scores_of_run
from validation.trec_eval.z_output import COUNTS, MISSING, Line, printed, read_lines, z_values

HALF_DIGIT = 0.00005  # the rounding error of 4 decimals
MEASURES, TOPICS = 95, 3


@pytest.fixture(scope="module")
def folder(shared_data) -> Path:
    return shared_data / "trec_eval"


@pytest.fixture(scope="module")
def raw(folder) -> list[Line]:
    """The output without -Z, which has the same lines."""
    return read_lines(folder / "out.test.aq")


@pytest.fixture(scope="module")
def expected(folder) -> list[Line]:
    return read_lines(folder / "out.test.aqZ")


@pytest.fixture(scope="module")
def factors(folder) -> dict[str, Factors]:
    return read_trec_eval_factors(folder / "zscores_file")


@pytest.fixture(scope="module")
def measured(folder, pytrec_eval) -> dict[str, dict[str, float]]:
    with (folder / "results.test").open() as run, (folder / "qrels.test").open() as qrels:
        return scores_of_run(pytrec_eval, run, qrels)


def test_the_files_are_those_that_we_know(raw, expected, factors) -> None:
    assert len(raw) == len(expected) == TOPICS * (MEASURES + 1) + MEASURES + 4
    assert len(factors) == MEASURES
    assert {each.topics for each in factors.values()} == {("301", "302", "303")}
    assert {each.constant for each in factors.values()} == {"trec_eval"}
    constant = {m: each.constant_topics for m, each in factors.items() if each.constant_topics}
    assert constant == {
        "num_rel": ["301", "302", "303"],
        "iprec_at_recall_0.80": ["301"],
        "iprec_at_recall_0.90": ["301"],
        "iprec_at_recall_1.00": ["301"],
    }


def test_every_line_from_the_run(folder, raw, factors, measured) -> None:
    """From the run and the judgments, unrounded: every line, character by character."""
    values = z_values(raw, measured, factors)
    lines = [printed(line, value) for line, value in zip(raw, values, strict=True)]
    assert lines == (folder / "out.test.aqZ").read_text().splitlines()


def test_the_scores_of_the_run_are_those_of_trec_eval(raw, measured) -> None:
    """The scores themselves, before they are standardized: every line of a topic."""
    lines = [line for line in raw if line.topic != "all" and line.measure != "relstring"]
    assert len(lines) == TOPICS * MEASURES
    for line in lines:
        score = measured[line.topic][line.measure]
        assert line.value == (f"{score:.0f}" if line.measure in COUNTS else f"{score:.4f}"), line


def test_the_judgments_of_the_first_ten_documents(folder, raw, pytrec_eval) -> None:
    with (folder / "results.test").open() as run, (folder / "qrels.test").open() as qrels:
        runs, judged = pytrec_eval.parse_run(run), pytrec_eval.parse_qrel(qrels)
    lines = [line for line in raw if line.measure == "relstring"]
    assert [line.topic for line in lines] == list(runs)
    for line in lines:
        assert relevance_string(ranking(runs[line.topic], judged[line.topic])) == line.value


def test_every_line_from_the_rounded_output(raw, expected, factors) -> None:
    """From scores of 4 decimals z is known within 0.00005 / sd: every line is within that.

    Where the sd is below 1 that is less than 4 decimals of z; 205 of the 387 lines agree.
    """
    scores: dict[str, dict[str, float]] = {}
    for line in raw:
        if line.topic != "all" and line.measure != "relstring":
            scores.setdefault(line.topic, {})[line.measure] = float(line.value)
    agree = {"topic": 0, "all": 0}
    for line, value, wanted in zip(raw, z_values(raw, scores, factors), expected, strict=True):
        kind = "all" if line.topic == "all" else "topic"
        if value == wanted.value or f"{value:.4f}" == wanted.value:
            agree[kind] += 1
        else:
            error = abs(value - float(wanted.value))
            assert error <= rounding_error(factors[line.measure], line) + HALF_DIGIT, line
    assert agree == {"topic": 153, "all": 52}


def rounding_error(factors: Factors, line: Line) -> float:
    """How far z may be off, because the score of each topic was rounded to 4 decimals."""
    sds = dict(zip(factors.topics, factors.fitted.parameters["sd"][:, 0].tolist(), strict=True))
    off = {topic: HALF_DIGIT / sd if sd else 0.0 for topic, sd in sds.items()}
    return off[line.topic] if line.topic != "all" else sum(off.values()) / len(off)


def test_what_is_averaged_in_the_last_lines(expected, factors) -> None:
    """The mean of z over the topics, but sums for counts, and 0 without factors."""
    by_topic: dict[str, list[float]] = {}
    for line in expected:
        if line.topic != "all" and line.measure != "relstring":
            by_topic.setdefault(line.measure[1:], []).append(float(line.value))
    for line in expected:
        measure = line.measure[1:]
        if line.topic == "all" and measure in by_topic:
            total = sum(by_topic[measure])
            mean_or_sum = total if measure in COUNTS else total / TOPICS
            assert float(line.value) == pytest.approx(mean_or_sum, abs=TOPICS * HALF_DIGIT + 1e-9)
    without = {line.measure: line.value for line in expected if line.measure.startswith("Zgm_")}
    assert without == {"Zgm_map": "0.0000", "Zgm_bpref": "0.0000"}
    assert not {"gm_map", "gm_bpref"} & factors.keys()
    assert MISSING == -1e6
