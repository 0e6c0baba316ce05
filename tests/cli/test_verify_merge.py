"""``cdfscore verify --merge``: the merging of lists in R."""

import pytest

from cdfscore.retrieval.merging import merging
from tests.cli.conftest import Run, Sentence, Write
from tests.cli.test_merge import CORI, FILES, SAFE

VERIFY = ("verify", "a.run", "b.run", "--merge")


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize(
    ("options", "quantities"),
    [
        ("", ["merged score", "rank"]),
        ("--normalize z --depth 2", ["merged score", "rank"]),
        ("--weights w.csv", ["merged score", "rank"]),
        ("--weights w.csv --lambda inf", ["weight", "merged score", "rank"]),
        (CORI, ["selection score", "weight", "merged score", "rank"]),
        ("--method rrf --k 1", ["merged score", "rank"]),
        ("--method=round_robin --depth 1", ["merged score", "rank"]),
    ],
)
def test_merging_agrees_with_r(
    cdfscore: Run, write: Write, options: str, quantities: list[str]
) -> None:
    write(FILES)
    status, out, _ = cdfscore(*VERIFY, options)
    assert status == 0
    header, *others, verdict = out.splitlines()
    rows = [line for line in others if not line.startswith("tolerance of ")]
    assert header.split()[:2] == ["quantity", "count"]
    assert [row[: row.index("  ")].strip() for row in rows] == quantities
    assert verdict.startswith("agrees with R version ")


@pytest.mark.usefixtures("rinterface")
def test_disagreement_is_status_1(
    cdfscore: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(FILES)
    right = merging.of_documents
    monkeypatch.setattr(f"{merging.__name__}.of_documents", lambda *a: right(*a) * 0.75)
    status, out, _ = cdfscore(*VERIFY, "--weights w.csv")
    assert status == 1
    assert "merged score" in out


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ([""], "none.run cannot be read: No such file"),
        (["--normalize 'z"], '--merge "--normalize \'z" cannot be read: No closing quotation; exp'),
        (["--normalize no"], "there is no scheme 'no'"),
        (["--depth 0"], "--depth 0 is not accepted; expected a whole number of at least 1"),
        (["--weights w.csv --lambda cv --qrels qrels"], "--lambda cv cannot be verified, since"),
        ([SAFE], "a line needs 3 sampled documents with ranks and there are 2"),
        (["", "--scheme", "z"], "--scheme is not accepted with --merge; expected only options of"),
        (
            ["", "--script", "x.R"],
            "--script is not accepted with --merge; expected only options of",
        ),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)
def test_options_are_refused(sentence: Sentence, arguments: list[str], fragment: str) -> None:
    runs = ["none.run"] if "none" in fragment else []
    assert fragment in sentence(FILES, ["verify", "a.run", "b.run", *runs, "--merge", *arguments])
