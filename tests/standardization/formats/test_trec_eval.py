"""The factor file of ``trec_eval -Z``: topic, measure, mean and standard deviation a line."""

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, load_factors, read_scores
from cdfscore.errors import FactorsError, ScoresError
from cdfscore.standardization.formats import (
    read_trec_eval_factors,
    read_webber_moffat,
    write_trec_eval_factors,
)
from cdfscore.stats.schemes import Z


@pytest.mark.clause("trec_eval_factors.1")
def test_factors_come_back_bit_for_bit(tmp_path, by_measure, scores) -> None:
    path = tmp_path / "zscores"
    write_trec_eval_factors(by_measure.values(), path)
    read = read_trec_eval_factors(path, scheme="normal")
    assert list(read) == list(by_measure)
    for measure, factors in by_measure.items():
        assert read[measure].topics == factors.topics
        for name, values in factors.fitted.parameters.items():
            assert read[measure].fitted.parameters[name].tobytes() == values.tobytes()
        y, expected = read[measure].transform(scores), factors.transform(scores)
        pd.testing.assert_frame_equal(y, expected, check_exact=True)


def test_several_measures_blank_lines_and_any_white_space(tmp_path) -> None:
    path = tmp_path / "zscores"
    path.write_bytes(
        b"\xef\xbb\xbf301\tmap\t0.25  0.125\r\n\r\n  \n301 P_10 5e-1 0\n302 map -.5 1 \n\n"
    )
    read = read_trec_eval_factors(path)
    assert {m: f.topics for m, f in read.items()} == {"map": ("301", "302"), "P_10": ("301",)}
    assert read["map"].fitted.parameters["mean"][:, 0].tolist() == [0.25, -0.5]
    assert read["map"].fitted.parameters["sd"][:, 0].tolist() == [0.125, 1.0]
    assert read["map"].n is None
    assert read["map"].digest is None
    assert load_factors(path, measure="P_10").constant_topics == ["301"]


@pytest.mark.clause("constant.3", "trec_eval_factors.2")
@pytest.mark.parametrize("scheme", ["z", Z()])
def test_a_constant_topic_gets_what_trec_eval_gives(tmp_path, scheme) -> None:
    path = tmp_path / "zscores"
    path.write_text("301 map 0.5 0\n")
    new = pd.DataFrame([[0.25, 0.5, 0.75]], index=["301"], columns=list("abc"))
    for factors in (
        read_trec_eval_factors(path, scheme=scheme)["map"],
        load_factors(path, scheme=scheme),
    ):
        assert factors.transform(new).loc["301"].tolist() == [-1_000_000, 0, -1_000_000]


WRONG = {
    "three fields": "302 map 0.5",
    "five fields": "302 map 0.5 0.1 0.2",
    "mean no number": "302 map high 0.1",
    "sd no number": "302 map 0.5 0,1",
    "digits of another script": "302 map 0.5 ٠.١",
    "underscore": "302 map 0.5 1_0",
    "not a number": "302 map nan 0.1",
    "infinite": "302 map 0.5 inf",
    "out of range": "302 map 1e999 0.1",
    "an output line": "map 302 0.5",
}


@pytest.mark.clause("trec_eval_factors.1")
@pytest.mark.parametrize("line", WRONG.values(), ids=WRONG)
def test_a_wrong_line_is_named(tmp_path, line) -> None:
    path = tmp_path / "zscores"
    path.write_text(f"301 map 0.5 0.1\n\n{line}\n303 map 0.5 0.1\n", encoding="utf-8")
    expected = f"^{path}, line 3: '{line}' is not a topic, a measure, a mean and a standard deviat"
    with pytest.raises(FactorsError, match=expected):
        read_trec_eval_factors(path)


@pytest.mark.clause("trec_eval_factors.1")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"301 map 0.5 0.1\n301 P_5 0 1\n301 map 0.5 0.1\n", r"line 3: map of topic '301' appears"),
        (b"301 map 0.5 -0.1\n", r"topic '301', measure 'map': the standard deviation is -0.1"),
        (b"", r"is empty; expected lines of topic, measure, mean and sd"),
        (b"\n \n", r"is empty; expected lines of topic, measure, mean and sd"),
        (b"301 map\xff 0.5 0.1\n", r"cannot be read: it is not text in UTF-8"),
    ],
)
def test_refused_files(tmp_path, content, message) -> None:
    path = tmp_path / "zscores"
    path.write_bytes(content)
    with pytest.raises(FactorsError, match=message):
        read_trec_eval_factors(path)
    with pytest.raises(FactorsError, match=message):
        load_factors(path, measure="map")


def test_factors_that_the_format_cannot_hold(tmp_path, by_measure) -> None:
    path = tmp_path / "zscores"
    frame = pd.DataFrame([[0.1, 0.2]], index=["a topic"], columns=["a", "b"])
    labelled = frame.set_axis(["351"])
    normal = Standardizer("normal")
    table = [
        ([], r"there are no factors to write"),
        ([normal.fit(frame, measure="AP")], r"the label 'a topic' is empty or has a space"),
        ([normal.fit(labelled, measure="my AP")], r"the label 'my AP' is empty or has a space"),
        ([normal.fit(labelled)], r"the factors do not name their measure"),
        ([normal.fit(frame.reset_index(drop=True), measure="AP")], r"have no topic labels"),
        ([Standardizer("empirical").fit(labelled, measure="AP")], r"the factors are of empirical"),
        ([*by_measure.values(), by_measure["AP"]], r"two factors of the measure 'AP'"),
    ]
    for factors, message in table:
        with pytest.raises(FactorsError, match=message):
            write_trec_eval_factors(factors, path)
    assert list(tmp_path.iterdir()) == []


def test_numbers_have_the_digits_that_give_them_back(tmp_path) -> None:
    values = np.array([[0.1, 0.2], [1 / 3, 1e-300], [5e-324, 0.0], [1e22, -1e-7]])
    frame = pd.DataFrame(values, index=list("abcd"), columns=["x", "y"])
    factors = Standardizer("z").fit(frame, measure="m")
    write_trec_eval_factors([factors], tmp_path / "zscores")
    for line, row in zip((tmp_path / "zscores").read_text().splitlines(), range(4), strict=True):
        written = line.split()[2:]
        exact = [float(factors.fitted.parameters[name][row, 0]) for name in ("mean", "sd")]
        assert written == [repr(value) for value in exact]


def test_a_name_that_no_file_can_have_is_one_sentence(tmp_path) -> None:
    """A NUL in a name is a `ValueError` of the system, for each reader."""
    name = str(tmp_path / "a\0b")
    readers = [
        load_factors,
        lambda path: read_webber_moffat(path, f"{path}2"),
        read_trec_eval_factors,
    ]
    for read in readers:
        with pytest.raises(FactorsError, match="cannot be read: embedded null byte"):
            read(name)
    with pytest.raises(ScoresError, match="cannot be read: embedded null byte"):
        read_scores(name)
