"""No text claims what was not found; conclusions that change with the scheme are explained."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, compare, datasets, sensitivity
from cdfscore.comparison.pairs import Test, in_compare
from cdfscore.comparison.sensitivity import Sensitivity, meaning_of
from cdfscore.comparison.two_collections import compare_collections
from cdfscore.errors import SignificanceError
from cdfscore.plots import plot_wins
from cdfscore.report.methods import entries, methods, results
from cdfscore.report.writing import encode
from cdfscore.standardization.standardizer import How
from cdfscore.stats.schemes.base import scheme_label
from cdfscore.stats.significance.contract import significance_tests
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

#: What no title, caption, verdict, message or page says of systems that a test does not tell apart.
#: A sentence may say it of a true state, as a condition: "if no systems differ".
FORBIDDEN = {
    r"(?<![Ii]f )(?<!that )\bno (two )?(system|model|pair)s? differs?\b(?! significantly)",
    r"\b(do|does|did) not differ\b(?! significantly)",
    r"\b(there is|is|was|shows?|found?) no difference (between|of)\b",
    r"\b(system|model|run)s? (are|is) (the same|equal|equivalent|identical)\b",
    r"\bas good as\b(?! itself)",
    r"\b(pair|pairs) (of \w+ )?(that )?differs? (both|only|by|at|in)\b",
    r"\b(all|\d+) (system|model)s differ\b(?! significantly)",
    r"\bof (\d[\d,]*|\u2026) (pair|system|model)s differ\b(?! significantly)",
    r"\b(more|fewer|which|\d+) pairs differ\b(?! significantly)",
    r"\bno winner\b",
    r"\b(shows?|proves?|found) that \w+ (systems |models )?are (equal|equivalent|the same)\b",
    r"\bequivalence_t can show that\b(?! (they differ by less|a difference is within))",
    r"\b(are|is) equally good\b",
    r"\baccepts? the null\b|\bnull hypothesis is (accepted|confirmed|proved)\b",
}
_CONDITION = re.compile(
    r"\b(if|where|whether|only|unless|does not show|do not (write|conclude)|ends? where)\b"
    r"|null hypothesis (is )?that",
    re.I,
)


def texts() -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each page, and of each text in the code and its templates."""
    for path in (ROOT / "README.md", *sorted(DOCS.rglob("*.md"))):
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix in (".html", ".js", ".txt"):
            yield path.name, path.read_text(encoding="utf-8")
        if path.suffix == ".py":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.JoinedStr):
                    parts = (
                        p.value if isinstance(p, ast.Constant) else "\u2026" for p in node.values
                    )
                    yield f"{path.name}:{node.lineno}", "".join(map(str, parts))
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield f"{path.name}:{node.lineno}", node.value


def claims_of_no_difference(text: str) -> list[str]:
    sentences = re.split(r"(?<=[.;:?!])\s|\n\s*\n|\|", text)
    return [
        " ".join(sentence.split())
        for sentence in sentences
        if not _CONDITION.search(sentence)
        and any(re.search(phrase, " ".join(sentence.split())) for phrase in FORBIDDEN)
    ]


def test_no_text_asserts_a_null_hypothesis() -> None:
    found = {(place, said) for place, text in texts() for said in claims_of_no_difference(text)}
    assert found == set()


@pytest.mark.parametrize(
    "said",
    [
        "no systems differ",
        "64 of 86 systems do not differ from the best",
        "2 bars of systems that do not differ",
        "inside: no pair differs",
        "report that there is no winner",
        "The equivalence test equivalence_t can show that.",
        "8 of 10 pairs differ",
        "sys1 does not differ from sys2",
        "There is no difference between the two systems.",
        "The two systems are the same.",
        "A is as good as B.",
        "pairs that differ by paired_t",
        "Of 2,211 pairs of systems, 1,376 pairs differ both by raw AP and by E-std",
    ],
)
def test_forbidden_phrases_are_found(said: str) -> None:
    assert claims_of_no_difference(said)


@pytest.fixture(scope="module")
def ap() -> pd.DataFrame:
    return datasets.load_cranfield("ap").iloc[:, ::6]


@pytest.fixture(scope="module")
def found(ap: pd.DataFrame) -> Sensitivity:
    return sensitivity(ap, ["raw", "normal", "empirical"])


@pytest.mark.clause("sensitivity.4")
def test_the_sentences_have_the_counts(found: Sensitivity) -> None:
    of_raw = found.conclusions[found.conclusions["scheme_a"] == "raw"]
    assert len(found.verdict) == len(of_raw) + 2
    for sentence, row in zip(found.verdict, of_raw.to_dict("records"), strict=False):
        b = scheme_label(str(row["scheme_b"]))
        kept = f"{row['kept']} of {row['pairs']} pairs of systems"
        assert sentence.startswith(f"Raw scores and {b}: {kept}")
        assert f", {row['gained']} only after standardization by {b} (gained)" in sentence
        assert f" {row['lost']} only before it (lost)." in sentence
    other = found.conclusions.iloc[-1]
    decided = other["gained"] + other["lost"] + other["reversed"]
    assert decided > 0
    assert f"disagree on {decided} of {other['pairs']} pairs" in found.verdict[-2]
    assert "fix the scheme before you look" in found.verdict[-1]
    assert "results by raw scores as well" in found.verdict[-1]


def counted(a: str, b: str, **counts: int) -> pd.DataFrame:
    zero = dict.fromkeys(("kept", "gained", "lost", "reversed"), 0)
    return pd.DataFrame([{"scheme_a": a, "scheme_b": b, "pairs": 10, **zero, **counts}])


def test_raw_may_be_the_second_scheme() -> None:
    (sentence, _) = meaning_of(counted("normal", "raw", gained=3, lost=2))
    assert "3 only before standardization (gained)" in sentence
    assert "2 only after it, by N-std (lost)" in sentence


def test_without_raw_each_two_schemes_are_compared() -> None:
    (sentence, report) = meaning_of(counted("normal", "z", gained=1, reversed=4))
    assert "1 only by z-std (gained) and 0 only by N-std (lost)" in sentence
    assert "4 by both in opposite directions" in sentence
    assert "results by raw scores as well" in report


def test_diagnose_prints_and_writes_the_sentences(
    cdfscore: Run, ap: pd.DataFrame, tmp_path: Path
) -> None:
    ap.to_csv(tmp_path / "ap.csv")
    command = ("diagnose", "ap.csv", "--scheme", "normal", "--bootstrap", "0")
    expected = sensitivity(ap, ["raw", "normal"]).verdict
    out = cdfscore(*command).out
    assert len(expected) == 2
    assert all(sentence in out for sentence in expected)
    assert cdfscore(*command, "--out", "d.json").status == 0
    written = json.loads((tmp_path / "d.json").read_text())
    assert written["sensitivity"]["verdict"] == expected


def test_the_page_is_found_and_names_every_count() -> None:
    page = (DOCS / "what_to_report.md").read_text(encoding="utf-8")
    for name in ("kept", "gained", "lost", "reversed"):
        assert f"- **{name}**" in page
    assert "what_to_report.md" in (DOCS / "choosing.md").read_text(encoding="utf-8")
    assert "what_to_report.md" in (DOCS / "diagnose.md").read_text(encoding="utf-8")


POLICIES = [
    Standardizer("normal", constant="half", missing="omit"),
    Standardizer("z", constant="drop_topic", missing="zero"),
    Standardizer("kernel", missing="drop_topic", lower_is_better=True),
    ["raw", "uniform:A=0.2", "empirical"],
]
IN_COMPARE = [
    test.chosen_example()
    for test in map(significance_tests.load, significance_tests.names())
    if in_compare(test)
]


@pytest.mark.parametrize(
    ("test", "scheme"),
    [*((test, "empirical") for test in IN_COMPARE), *(("paired_t", how) for how in POLICIES)],
    ids=str,
)
def test_paragraphs_for_papers_are_sentences_with_citations(test: Test, scheme: How) -> None:
    scores = datasets.load_cranfield("ap").iloc[:30, ::11]
    chosen = str(getattr(test, "test", test))
    baselines = [scores.columns[0]] if "baseline" in chosen or "dunnett" in chosen else []
    found = compare(scores, test, scheme=scheme, baselines=baselines)
    for text in (methods(found), methods(found, "markdown"), results(found)):
        assert text.endswith(".")
        assert "  " not in text
        assert ".." not in text
        assert text.count("(") == text.count(")")
        words = text.replace("d_z", "").split("No adjusted p value")[0]
        names = re.findall(r"\b[a-z0-9]+_[a-z_]+\b", words)
        assert not set(names) & set(significance_tests.names()), names
        assert not re.search(r"\bholm\b|\bempirical:|\ba [aeio]", text), text
    keys = re.findall(r"\\citea?l?p\{([^}]*)\}", methods(found, "latex"))
    every = {entry.partition("{")[2].partition(",")[0] for entry in entries().values()}
    assert keys
    assert {key for own in keys for key in own.split(", ")} <= every
    assert claims_of_no_difference(results(found)) == []
    assert ("mean rank, " in results(found)) <= ("and 1 is the best" in methods(found))


@pytest.mark.parametrize(("better", "told"), [(0.3, "greater than 0"), (-0.3, "")])
def test_one_direction_of_two_systems_is_told_with_their_names(better: float, told: str) -> None:
    b = datasets.load_cranfield("ap").iloc[:30, 0]
    scores = pd.DataFrame({"new": b + better + 0.01 * np.arange(30) % 0.05, "old": b})
    found = compare(scores, "paired_t:alternative=greater")
    assert "the paired t test (one-sided, new greater than old; Student, 1908)" in methods(found)
    if told:
        assert results(found).startswith(f"The difference new minus old is significantly {told} ")
    else:
        assert results(found).startswith("No significant difference was found between the two")


def test_what_was_not_found_is_said_as_that() -> None:
    scores = datasets.load_cranfield("ap").iloc[:30, 1:4]
    text = results(compare(scores, "wilcoxon_signed_rank", alpha=0.001))
    assert text.startswith("No significant difference was found in 3 pairs of systems by")
    assert "is not shown to be absent" in text
    with pytest.raises(SignificanceError, match="expected one of text, latex, markdown"):
        methods(compare(scores, "paired_t"), "tex")  # type: ignore[arg-type]


def test_who_is_ahead_is_said_by_the_test_of_the_pair() -> None:
    a = np.r_[np.linspace(0.3, 0.35, 15), np.full(15, 0.9)]
    b = np.r_[np.linspace(0.4, 0.46, 15), np.full(15, np.nan)]
    scores = pd.DataFrame({"A": a, "B": b, "C": np.linspace(0.01, 0.011, 30)})
    found = compare(scores, "paired_t", scheme=Standardizer("raw", missing="omit"))
    assert "A has the highest mean, 0.6125, but B is significantly ahead of it" in results(found)
    assert [bar.get_width() for bar in plot_wins(found).patches] == [0.5, 1, 0, -0.5, 0, -1]


@pytest.mark.parametrize("setting", ["null_value=0.5", "alternative=greater"])
def test_other_hypotheses_make_no_best_system(setting: str) -> None:
    scores = datasets.load_cranfield("ap").iloc[:20, :5]
    told = results(compare(scores, f"paired_t:{setting}"))
    assert "a significant result by the paired t test" in told
    assert "differ significantly" not in told
    assert "highest mean" not in told


def test_pairs_without_a_test_are_told() -> None:
    scores = datasets.load_cranfield("ap").iloc[:20, :5]
    scores.iloc[:, 0] = np.nan
    omit = Standardizer("raw", missing="omit")
    assert "1 pair of it could not be tested" in results(compare(scores, "sign", scheme=omit))
    one = compare(datasets.load_cranfield("ap").iloc[:1, :5], "paired_t")
    assert "4 pairs of it could not be tested" in results(one)
    assert "effect size" not in methods(one)
    a, b = (Standardizer("raw").standardize(scores.iloc[k : k + 5, 1:]) for k in (0, 5))
    with pytest.raises(SignificanceError, match="systems of one collection"):
        methods(compare_collections(a, b, "welch_t"))


def test_a_results_paragraph_has_names_of_people_and_escapes_of_latex() -> None:
    scores = datasets.load_cranfield("ap").iloc[:6, :12]
    found = compare(scores, "wilcoxon_signed_rank")
    told = results(found)
    assert "the smallest p value of the Wilcoxon signed-rank test with 6 topics" in told
    assert "and 1 after Holm's correction for 66 pairs" in told
    assert results(found, "latex") == told.replace("_", r"\_")


def test_a_methods_paragraph_names_the_uncertainty_from_the_reference_systems() -> None:
    scores = datasets.load_cranfield("ap").iloc[:20, :15]
    found = compare(
        scores.iloc[:, :4],
        "paired_t",
        scheme=["normal"],
        reference=scores.iloc[:, 4:],
        reference_uncertainty=200,
    )
    said = "from the 11 reference systems, which were drawn with replacement (B = 200, seed 0, "
    assert said in methods(found)
    assert r"about 5 \%)" in methods(found, "latex")


@pytest.mark.parametrize("ending", [".md", ".html", ".tex", ".json"])
def test_cautions_stand_beside_the_claim_that_they_weaken(ap: pd.DataFrame, ending: str) -> None:
    found = compare(ap.iloc[:5, :4], "wilcoxon_signed_rank", scheme="empirical")
    text = encode(found, Path(f"pairs{ending}")).decode()
    claim = text.index("Significant at 0.05 after Holm")
    for caution in ("o adjusted p value can be 0.05 or less", "ith 4 reference systems, fewer"):
        assert text.count(caution) == 1 + (ending == ".json")  # and among the notes
        assert claim < text.index(caution) < text.index("Settings: ")
        assert caution in results(found)
