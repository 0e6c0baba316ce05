"""``cdfscore mixed-model``: what it writes, and what it refuses."""

import json
from pathlib import Path

import pandas as pd
import pytest

from cdfscore.models import as_replicates, mixed_model
from tests.cli.conftest import Run, cases
from tests.models.designs import COMPONENTS, scores
from tests.models.mixed_designs import long

FORMULA = "score ~ stemmer * model"
LONG = long((1.0, 0.1, 0.2, 0.5), seed=1)


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    scores().to_csv(tmp_path / "s.csv")
    LONG.to_csv(tmp_path / "l.csv", index=False)
    COMPONENTS.to_csv(tmp_path / "c.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_numbers_are_those_of_python(given: Path, cdfscore: Run) -> None:
    done = cdfscore(
        *("mixed-model", "s.csv", "--components", "c.csv", "--formula", FORMULA, "--method", "ML"),
        *(
            "--random",
            "topic",
            "--random",
            "topic:stemmer",
            "--scheme",
            "raw",
            "--scheme",
            "normal",
        ),
        *("--out", "a.csv", "--variances", "v.csv", "--coefficients", "b.csv"),
        *("--means", "stemmer", "--contrasts", "d.csv"),
    )
    assert done.status == 0
    expected = mixed_model(
        scores(),
        FORMULA,
        COMPONENTS,
        random=["topic", "topic:stemmer"],
        method="ML",
        schemes=["raw", "normal"],
    )
    tables = {
        "a.csv": expected.table,
        "v.csv": expected.variances,
        "b.csv": expected.coefficients,
        "d.csv": expected.contrasts("stemmer").assign(term="stemmer"),
    }
    for name, table in tables.items():
        found = pd.read_csv(name, keep_default_na=False)
        pd.testing.assert_frame_equal(found, table, rtol=1e-14, check_dtype=False)
    assert "N-std is fitted to the scores of each topic, so the variance" in done.err
    assert "so effects of topic are omitted: tests and all other" in done.err


def test_replicates_are_read_by_their_column(given: Path, cdfscore: Run) -> None:
    done = cdfscore(
        *("mixed-model", "l.csv", "--components", "c.csv", "--formula", "score ~ model + shard"),
        *("--replicate", "shard", "--random", "topic", "--random", "topic:system"),
        *("--drop-topic", "t3", "--drop-system", "none_p_short", "-o", "a.json"),
    )
    assert done.status == 0
    kept = LONG[(LONG["topic"] != "t3") & (LONG["system"] != "none_p_short")]
    expected = mixed_model(
        as_replicates(kept, "shard"),
        "score ~ model + shard",
        COMPONENTS,
        random=["topic", "topic:system"],
    )
    found = json.loads((given / "a.json").read_text())
    assert found["random"] == ["topic", "topic:system"]
    assert found["topics"] == {"raw": 11}
    assert found["scores"] == {"raw": 11 * 23 * 2}
    pd.testing.assert_frame_equal(
        pd.DataFrame(found["variances"]), expected.variances, rtol=1e-13, check_dtype=False
    )


@pytest.mark.parametrize(
    ("words", "said"),
    cases(
        """
        s.csv --formula score~stemer --components c.csv | names 'stemer'
        s.csv --formula score~system --components none.csv | none.csv cannot be read
        s.csv --formula score~system --method reml | --method reml is not accepted (did you
            mean 'REML'?); expected one
        s.csv --formula score~topic | cdfscore: the formula 'score~topic' has topic, which is random
            here; expected fixed effects of system, and topic in --random topic
        s.csv --formula score~system --random system | --random system does not contain topic
        s.csv --formula score~system --random topic:system | in --random topic:system|lack topic
        s.csv --formula score~system --random topic --random topic:system | several scores of a
            system on a topic, identified by --replicate COLUMN
        s.csv --formula score~system --means system | --means TERM and --contrasts FILE need each
        s.csv --formula score~system --adjust BH | --adjust METHOD is for the comparisons in
        s.csv --formula score~system --replicate shard | s.csv has no column 'shard'
        l.csv --formula score~system | also the column 'shard'
        l.csv s.csv --formula score~system --replicate shard | --replicate needs one file
        x=l.csv --formula score~system --replicate shard | --replicate needs one file
        l.csv --formula score~system --replicate shard --scheme z --reference s.csv | --replicate
            and --reference exclude each other
        l.csv --formula score~system --replicate shard --systems-as-rows | --replicate needs a file
            with a row for each score
        s.csv --formula score~system --scheme raw --scheme raw | twice
        """
    ),
)
def test_bad_input_writes_nothing(given: Path, cdfscore: Run, words: str, said: list[str]) -> None:
    done = cdfscore("mixed-model", *words.split(), "-o", "a.csv")
    assert done.status == 2
    message = " ".join(done.err.replace("│", " ").split())
    assert any(each in message for each in said[0].split("|"))
    assert not (given / "a.csv").exists()


def test_a_script_does_not_read_replicates(given: Path, cdfscore: Run) -> None:
    typed = ("verify", "l.csv", "--formula", "score ~ system", "--replicate", "shard")
    done = cdfscore(*typed, "--random", "topic", "--script", "check.R")
    assert done.status == 2
    assert "expected --via rscript" in " ".join(done.err.replace("│", " ").split())
    assert not (given / "check.R").exists()
