"""Topics that the reference lacks: refused with an option that the command has, or dropped."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cdfscore import Standardizer, compare, datasets
from cdfscore.comparison.sensitivity import sensitivity
from cdfscore.errors import FactorsError
from cdfscore.experiments.matrices import standardized
from cdfscore.r.verify import Via
from tests.cli.conftest import Run, Write
from tests.verified import verify


def cranfield() -> pd.DataFrame:
    return datasets.load_cranfield("ap").iloc[:30, :12]


#: Commands with a reference that lacks 5 topics.
COMMANDS = {
    "standardize": "standardize s.csv --scheme normal --reference ref.csv",
    "compare": "compare s.csv --scheme normal --test paired_t --reference ref.csv",
    "verify": "verify s.csv --scheme normal --test paired_t --reference ref.csv",
    "within": "experiment within s.csv --scheme normal --reference ref.csv --trials 2 --out o",
    "between": "experiment between s.csv --scheme normal --reference ref.csv --trials 2 --out o",
}


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("command", COMMANDS)
def test_the_message_names_an_option_that_the_command_has(
    cdfscore: Run, write: Write, command: str
) -> None:
    scores = cranfield()
    write({"s.csv": scores.to_csv(), "ref.csv": scores.iloc[5:].to_csv()})
    run = COMMANDS[command].split()
    status, _, err = cdfscore(*run)
    assert status == 2
    assert "5 of 30 topics have no factors, such as '1'" in err
    assert "say --extra-topics drop to omit such topics" in err
    status, out, err = cdfscore(*run, "--extra-topics", "drop")
    assert status == 0, err
    if command == "verify":
        assert "agrees with R" in out
    if command in ("standardize", "compare", "verify"):
        assert "5 topics (1, 2, 3, 4, 5) have no factors and are dropped" in err
    wrong = cdfscore(*run, "--extra-topics", "omit")
    assert (wrong.status, "--extra-topics omit is not accepted" in wrong.err) == (2, True)
    alone = [each for each in run if each not in ("--reference", "ref.csv")]
    needs = cdfscore(*alone, "--extra-topics", "drop")
    assert needs.status == 2
    assert "--extra-topics drop needs --reference FILE" in " ".join(needs.err.split())


@pytest.mark.usefixtures("rinterface")
def test_the_stand_alone_script_drops_them_too(cdfscore: Run, write: Write, tmp_path: Path) -> None:
    scores = cranfield()
    write({"s.csv": scores.to_csv(), "ref.csv": scores.iloc[5:].to_csv()})
    run = (*COMMANDS["verify"].split(), "--extra-topics", "drop", "--script", "x.R")
    assert cdfscore(*run, "--via", "rscript").status == 0
    script = (tmp_path / "x.R").read_text()
    assert 'extra = "drop"' in script
    assert ", extra topics dropped, test paired_t" in script
    assert cdfscore(*run, "--extra-topics", "refuse").status == 2


@pytest.mark.clause("standardizer.2", "standardizer.3")
def test_python_drops_them_as_if_they_were_not_there() -> None:
    scores = cranfield()
    reference, inner = scores.iloc[5:], scores.iloc[5:]
    how = Standardizer("empirical")
    found = how.standardize(scores, reference, extra_topics="drop")
    pd.testing.assert_frame_equal(found.scores, how.fit_transform(inner), check_exact=True)
    assert found.extra_topics == ("1", "2", "3", "4", "5")
    pairs = compare(scores, "paired_t", scheme=how, reference=reference, extra_topics="drop")
    expected = compare(inner, "paired_t", scheme=how)
    pd.testing.assert_frame_equal(pairs.table, expected.table, check_exact=True)
    by_factors = compare(scores, "paired_t", scheme=how.fit(reference), extra_topics="drop")
    pd.testing.assert_frame_equal(by_factors.table, expected.table, check_exact=True)
    changes = sensitivity(
        scores, ["raw", "normal"], reference=reference, extra_topics="drop"
    ).comparison
    assert set(changes.table["n"]) == {25}
    for refusing in (how.standardize, lambda *both: compare(both[0], "sign", reference=both[1])):
        with pytest.raises(FactorsError, match=r"say extra_topics='drop'"):
            refusing(scores, reference)


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("via", ["rpy2", "rscript"])
@pytest.mark.parametrize("missing", ["raise", "zero"])
def test_r_drops_the_same(via: Via, missing: str) -> None:
    scores = cranfield()
    how = Standardizer("normal", missing=missing)  # type: ignore[arg-type]
    table = verify(scores.iloc[:20], how, reference=scores.iloc[5:], extra_topics="drop", via=via)
    assert table["agrees"].all()
    assert table["count"][0] == (25 if missing == "zero" else 15) * 12


#: Calls without a reference, where the policy would have no effect.
IDLE: dict[str, Callable[[pd.DataFrame, Any], object]] = {
    "standardize": lambda scores, extra: Standardizer("normal").standardize(
        scores, extra_topics=extra
    ),
    "compare": lambda scores, extra: compare(
        scores, "paired_t", scheme=["normal", Standardizer("z")], extra_topics=extra
    ),
    "compare raw": lambda scores, extra: compare(scores, "paired_t", extra_topics=extra),
    "sensitivity": lambda scores, extra: sensitivity(scores, ["raw", "z"], extra_topics=extra),
    "verify": lambda scores, extra: verify(scores, "normal", extra_topics=extra),
    "experiments": lambda scores, extra: standardized(scores, {"Z": "z"}, extra_topics=extra),
}


@pytest.mark.parametrize("call", IDLE)
def test_without_a_reference_there_is_nothing_to_drop(call: str) -> None:
    scores = cranfield()
    with pytest.raises(FactorsError, match=r"^extra_topics='drop' needs reference=\.\.\.,"):
        IDLE[call](scores, "drop")
    with pytest.raises(FactorsError, match=r"extra_topics='omit' is not accepted"):
        IDLE[call](scores, "omit")


def test_with_factors_beside_a_scheme_there_is() -> None:
    scores = cranfield()
    how = Standardizer("empirical").fit(scores.iloc[5:])
    found = compare(scores, "paired_t", scheme=["z", how], extra_topics="drop")
    assert found.topics_by_scheme["z"] == 30
    assert set(found.topics_by_scheme.values()) == {30, 25}
