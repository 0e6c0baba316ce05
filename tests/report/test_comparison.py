"""Comparisons as files: every number comes back, labels are escaped, captions say what was done."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, datasets
from cdfscore.comparison.comparison import Comparison, compare
from cdfscore.errors import OutputError
from cdfscore.report.comparison import caption, columns, encode_letters, of_systems
from cdfscore.report.writing import TEXT_WIDTH, Captioned, Column, as_latex, encode, escaped
from cdfscore.scores.tables import guarded
from cdfscore.stats.significance.contract import AllSystems

NASTY = 'x_1 & y|<b>{50%}$#~^\\*[`"\n--'


def _compared(test: str = "paired_t", **how: Any) -> Comparison:
    """Return a comparison of five systems, two of them the same, one with a nasty name."""
    rng = np.random.default_rng(4)
    ability = rng.random((12, 1))
    y = ability + 0.3 * rng.random((12, 5)) + [0, 0.1, 0.2, 0.8, 0]
    scores = pd.DataFrame(y, columns=["A", NASTY, "C", "D", "E"])
    scores["E"] = scores["D"]
    how = {"effect": "", "scheme": ["raw", "normal"], **how}
    return compare(scores, test, **how)


@pytest.fixture(scope="module")
def found() -> Comparison:
    found = _compared()
    table = found.table.assign(effect_size=0.25, effect_low=-0.5, effect_high=np.inf)
    return replace(found, table=table, effect="d_z")


def _text(comparison: Comparison, suffix: str) -> str:
    return encode(comparison, Path(f"pairs{suffix}")).decode()


@pytest.mark.parametrize(("suffix", "delimiter"), [(".csv", ","), (".TSV", "\t"), ("", ",")])
def test_every_number_of_a_delimited_file_comes_back(
    found: Comparison, suffix: str, delimiter: str
) -> None:
    text = io.StringIO(_text(found, suffix), newline="")
    header, *rows = csv.reader(text, delimiter=delimiter)
    assert header == list(found.table.columns)
    assert len(rows) == 20
    for name, cells in zip(header, zip(*rows, strict=True), strict=True):
        column = found.table[name]
        if column.dtype == np.float64:
            numbers = [np.nan if cell == "NA" else float(cell) for cell in cells]
            np.testing.assert_array_equal(numbers, column)
            assert all(cell == "NA" for cell in np.array(cells)[column.isna()])
        else:
            assert list(cells) == [str(value) for value in column]


LINE_ENDS = ["a\rb", "a\nb", "a\r\nb", "\r", '"\r"', "a,b\tc", " d "]


def _with_labels(comparison: Comparison, labels: list[str]) -> Comparison:
    """Return the comparison of as many systems, by the names `labels`."""
    names = dict(zip(comparison.systems, labels, strict=True))
    table = comparison.table.replace({"system_a": names, "system_b": names})
    return replace(comparison, table=table, means=comparison.means.rename(index=names))


@pytest.mark.parametrize(("suffix", "delimiter"), [(".csv", ","), (".tsv", "\t")])
@pytest.mark.parametrize("label", LINE_ENDS)
def test_line_ends_in_labels_end_no_row(
    found: Comparison, suffix: str, delimiter: str, label: str
) -> None:
    nasty = _with_labels(found, ["A", label, "C", "D", "E"])
    for content in (_text(nasty, suffix), encode_letters(nasty, Path(f"letters{suffix}")).decode()):
        header, *rows = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter)
        assert {len(row) for row in rows} == {len(header)}
        assert len(rows) in (20, 10)
        (cell,) = guarded([label])  # a spreadsheet could take what follows a line end as a formula
        assert any(cell in row for row in rows)
        # Without line ends in labels, lines end with \n alone.
        assert content.endswith("\n")
        assert content.count("\r\n") == (label == "a\r\nb") * sum(row.count(label) for row in rows)


def test_json_is_strict_and_has_every_number(found: Comparison) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    content = json.loads(_text(found, ".json"), parse_constant=refuse)
    for row, (_, expected) in zip(content["rows"], found.table.iterrows(), strict=True):
        assert list(row) == list(found.table.columns)
        for name, value in row.items():
            if value is None:
                assert np.isnan(expected[name])
            elif value == "Infinity":
                assert expected[name] == np.inf
            else:
                assert value == expected[name]
                assert type(value) in (str, int, float)
    assert content["caption"] == caption(found)
    assert content["systems"] == found.systems
    assert content["means"] == found.means.to_dict()
    assert content["settings"]["conf_level"] == 0.95
    assert (content["test"], content["adjust"], content["alpha"]) == ("paired_t", "holm", 0.05)
    assert content["family"] == str(found.family)


def test_markdown_table(found: Comparison) -> None:
    of_pairs, _, of_systems = _text(found, ".md").partition("\n\nMeans of systems")
    first, empty, *lines = of_pairs.splitlines()
    assert of_systems.count("\n| ") == 2 + len(found.schemes) * len(found.systems)
    unescaped = re.compile(r"(?<!\\)((?:\\\\)*)\|")
    assert len(lines) == 22
    assert {len(unescaped.findall(line)) for line in lines} == {len(columns(found)) + 1}
    assert empty == ""
    plain = re.compile(r"\\([\\`*_\[\]<>|&~$])")
    assert plain.sub(r"\1", first) == caption(found)
    cells = [plain.sub(r"\1", cell.strip()) for cell in re.split(r"(?<!\\)\|", lines[2])[1:-1]]
    assert cells[:2] == ["raw", "A"]
    assert cells[2] == NASTY.replace("\n", r"\n")
    assert not re.search(r"(?<!\\)[<>&]", "".join(lines))


def test_latex_table(found: Comparison) -> None:
    text = _text(found, ".tex")
    # Rows of pairs have names in several lines, and take more than a page.
    assert re.findall(r"\\begin{(.*?)}", text) == ["table", "tabular", "longtable"]
    assert re.findall(r"\\end{(.*?)}", text) == ["tabular", "table", "longtable"]
    bare = text.replace(r"\{", "").replace(r"\}", "")
    assert bare.count("{") == bare.count("}")
    assert text.replace(r"\$", "").count("$") % 2 == 0
    systems, pairs = (
        part.splitlines()[1 : count + 1]
        for part, count in zip(
            (text.split(r"\midrule")[1], text.split(r"\endfoot")[1]), (10, 20), strict=True
        )
    )
    assert systems[0].split(" & ")[:2] == ["raw", "D"]
    assert len(systems) == 10
    assert systems[0].endswith(r"& a & $3$ & $1$ & $0$ \\")
    assert r"\label{tab:systems}" in text
    needed = ("booktabs", "longtable", "array")
    packages = "".join(f"% \\usepackage{{{package}}}\n" for package in needed)
    assert text.startswith(packages + r"\begin{table}")
    left_out = ("n", "statistic", "df", "p", "interval of d_z")
    shown = [column for column in columns(found) if column.header not in left_out]
    (kinds,) = re.findall(r"begin{longtable}{(.*)}\n", text)
    assert re.sub(r">{[^}]*}p{[^}]*}", "l", kinds) == "".join("lr"[c.numeric] for c in shown)
    for line in pairs:
        assert len(re.findall(r"(?<!\\)&", line)) == len(shown) - 1
        assert line.endswith(r" \\")
        assert not re.search(r"(?<!\\)[#%_]", line)
    assert (len(systems), len(pairs)) == (10, 20)
    nasty = escaped(NASTY.replace("\n", r"\n")).replace("{}", "")
    assert nasty in text.replace(r"\allowbreak{}", "").replace("{}", "")
    assert r"$< 0.001^{*}$" in text
    commands = {"begin", "end", "centering", "caption", "toprule", "midrule", "bottomrule", "infty"}
    commands |= {"label", "usepackage"}
    printed = {
        "textbackslash",
        "textasciitilde",
        "textasciicircum",
        "textless",
        "textgreater",
        "textbar",
    }
    long = {"endfirsthead", "endhead", "endfoot"}
    broken = {"allowbreak", "raggedright", "arraybackslash", "linewidth", "shortstack", "p"}
    sizes = {"footnotesize", "setlength", "tabcolsep"}
    commands = commands - {"infty"} | long | broken | sizes
    assert set(re.findall(r"\\([a-z]+)", text)) == commands | printed
    assert "pdflatex" not in text
    assert "use lualatex" in _with_labels(found, ["A", "\u7cfb\u7edf", "C", "D", "E"]).to_latex()


def test_a_latex_table_is_as_wide_as_the_text_or_says_so() -> None:
    def table(names: list[str], numbers: int) -> Captioned:
        columns = [Column("system", False, names)]
        columns += [Column(f"mean_{i} of_all", True, ["-0.1234"] * 2) for i in range(numbers)]
        return Captioned("Systems", "All.", columns)

    narrow = as_latex([table(["bm25_k1", "ql"], 3)])
    assert r"\begin{tabular}{lrrr}" in narrow
    assert r"\small" in narrow
    assert "allowbreak" not in narrow
    assert "array" not in narrow
    names = ["a-fairly-long-name_of_a_run-" * 2, "W" * 40]
    broken = as_latex([table(names, 6)])
    assert r"\shortstack[r]{mean\_\\0\\of\_\\all}" in broken
    assert r"a-\allowbreak{}fairly-\allowbreak{}long-\allowbreak{}name\_\allowbreak{}of" in broken
    (width,) = re.findall(r"p{([\d.]+)\\linewidth}r{6}", broken)
    room = float(width) * TEXT_WIDTH
    parts = re.search(r"(?:W+\\allowbreak{})+W+", broken)
    assert parts is not None
    most = max(map(len, parts[0].split(r"\allowbreak{}")))
    assert 1 <= most <= room / 8.7  # points of a W in \footnotesize
    assert parts[0].count("W") == 40
    assert "wider" not in narrow + broken
    assert "% The table Systems is wider than the text" in as_latex([table(names, 9)])


def test_a_long_latex_table_goes_on_and_many_pairs_are_left_out() -> None:
    rng = np.random.default_rng(3)
    names = [f"run_{i}" for i in range(45)]
    scores = pd.DataFrame(rng.random((20, 45)) + np.linspace(0, 1, 45), columns=names)
    text = compare(scores, "paired_t").to_latex()
    assert text.startswith("% \\usepackage{booktabs}\n% \\usepackage{longtable}\n")
    assert text.count(r"\begin{longtable}") == text.count("begin{") == 1
    assert "The 990 pairs are not listed here; a .csv or .json file has them." in text
    assert "Test: paired" in text
    head, _, rows = text.partition(r"\endfoot")
    assert head.count("system & mean & interval") == 2
    assert rows.splitlines()[1].startswith(r"run\_4")
    assert len(rows.splitlines()) == 47
    some = compare(scores.iloc[:, :32], "paired_t").to_latex()
    assert some.count(r"\begin{longtable}") == 1
    assert some.count(r"\begin{table}") == 1
    assert "not listed" not in some


@pytest.mark.parametrize(("ending", "between"), [(".tex", " & "), (".md", " | ")])
def test_the_table_of_systems_has_their_means_intervals_and_outcomes(
    ending: str, between: str
) -> None:
    found = _compared(scheme=["raw", "normal"])
    text = _text(found, ending).partition("Means of systems")[2].replace(r"\allowbreak{}", "")
    of = found.table[found.table["p_adjusted"] <= 0.05]
    ahead = of["system_a"].where(of["estimate"] > 0, of["system_b"])
    behind = of["system_b"].where(of["estimate"] > 0, of["system_a"])
    for scheme, label in (("raw", "raw"), ("normal", "N-std")):
        own = of["scheme"] == scheme
        assert own.any()
        for system in ("A", "C", "D", "E"):
            start = re.escape(between.join([label, system, ""]))
            (line,) = re.findall(rf"^(?:\| )?{start}(.*?)(?: \\\\| \|)$", text, re.MULTILINE)[:1]
            cells = [cell.strip().strip("$").replace("\\", "") for cell in line.split(between)]
            won, lost = ((each[own] == system).sum() for each in (ahead, behind))
            ends = found.mean_intervals[scheme].loc[system]
            assert cells == [
                f"{found.means.at[system, scheme]:.4f}",
                f"[{ends['low']:.4f}, {ends['high']:.4f}]",
                found.letters(scheme)[system],
                *map(str, (won, 4 - won - lost, lost)),
            ]
    assert "letters" not in compare_with_baseline().to_latex()


def compare_with_baseline() -> Comparison:
    return _compared(scheme="raw", baselines="A")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b & 5%", r"a\_b \& 5\%"),
        ("{$#}", r"\{\$\#\}"),
        ("\\~^", r"\textbackslash{}\textasciitilde{}\textasciicircum{}"),
        ("<x|y>", r"\textless{}x\textbar{}y\textgreater{}"),
        ("a-b--c---d", "a-b-{}-c-{}-{}-d"),
        ("[5pt]*", "{[}5pt]{*}"),
        ("Müller", "Müller"),
    ],
)
def test_latex_escapes(text: str, expected: str) -> None:
    assert escaped(text) == expected


def _cells(comparison: Comparison) -> dict[str, list[str]]:
    return {column.header: column.cells for column in columns(comparison)}


def test_cells_are_rounded_and_marked(found: Comparison) -> None:
    table = found.table.copy()
    table.loc[:6, "p_adjusted"] = [0.05, 0.0500001, 0.0009999, 0.001, 1, np.nan, 0]
    table.loc[:2, "estimate"] = [-0.00001, -0.25, 1234.5]
    table.loc[:2, "parameter"] = [11.25, 5994, np.nan]
    cells = _cells(replace(found, table=table))
    assert cells["adjusted p"][:7] == [
        "0.050*", "0.050", "< 0.001*", "0.001*", "1.000", "-", "< 0.001*"
    ]  # fmt: skip
    assert not any("*" in cell for cell in cells["p"])
    assert cells["difference"][:3] == ["-1e-05", "-0.2500", "1234.5000"]
    assert cells["df"][:3] == ["11.25", "5994", "-"]
    assert set(cells["interval of d_z"]) == {"[-0.500, inf]"}
    assert [r for r in cells["no number because"] if r] == ["all differences are 0"] * 2


def test_caption_says_what_was_done(found: Comparison) -> None:
    text = caption(found)
    for part in (
        "A minus B, in scores as given and in scores standardized by N-std, of 12 topics, fitted",
        "Test: paired t test, two-sided; n = 12.",
        f"Family: {found.family}, for each of 2 schemes",
        "Holm's correction for the number of tests; * marks adjusted p values of at most 0.05",
        "Confidence intervals: 95 %, for each difference separately",
        "Effect size: d_z",
        "Settings: test paired_t; scheme raw, normal; adjust holm; effect d_z; "
        "constant limit; missing raise.",
    ):
        assert part in text
    assert "Resamples" not in text


def test_caption_of_other_ways() -> None:
    found = _compared(
        "permutation:B=500,seed=3", scheme="raw", baselines="A", adjust="none", alpha=0.01
    )
    table = found.table.assign(n=[10, 12, 12, 12], n_b=[12, 12, 12, 12])
    text = caption(replace(found, table=table, notes=["2 missing scores are omitted"]))
    for part in (
        "in scores as given, of 12 topics.",
        "n = 10 to 12 of A and 12 of B.",
        f"Family: {found.family}.",
        "not corrected for the number of tests; * marks p values of at most 0.01",
        "Resamples, unless all outcomes are enumerated: 500, seed 3.",
        "2 missing scores are omitted.",
    ):
        assert part in text
    assert "Effect size" not in text
    assert "Confidence" not in text


@pytest.mark.parametrize("name", ["pairs.txt", "pairs.xlsx", "a.csv.gz"])
def test_another_ending_is_refused(found: Comparison, name: str) -> None:
    accepted = r"expected \.csv, \.tsv, \.json, \.tex, \.md or \.html$"
    with pytest.raises(OutputError, match=accepted):
        encode(found, Path(name))


def test_letters_as_a_file(found: Comparison) -> None:
    rows = list(csv.reader(io.StringIO(encode_letters(found, Path("-")).decode(), newline="")))
    assert rows[0] == ["scheme", "system", "mean", "letters", "won", "undecided", "lost"]
    for scheme in found.schemes:
        letters = {row[1]: row[3] for row in rows if row[0] == scheme}
        assert letters == found.letters(scheme)
        means = [float(row[2]) for row in rows if row[0] == scheme]
        assert means == sorted(found.means[scheme], reverse=True)
    assert encode_letters(found, Path("a.tsv")).startswith(b"scheme\tsystem\t")
    with pytest.raises(OutputError, match=r"expected \.csv or \.tsv"):
        encode_letters(found, Path("letters.json"))


def test_caption_of_schemes_on_different_topics() -> None:
    scores = datasets.load_cranfield("ap").iloc[:12, :4].clip(0.01)
    scores.iloc[3, 1] = 0.0  # no beta has it
    how = [Standardizer(name, unfitted="drop_topic") for name in ("raw", "beta")]
    text = caption(compare(scores, "paired_t", scheme=how))
    assert "in scores as given of 12 topics and in scores standardized by beta of 11 topics" in text
    assert " of 11 topics, fitted to these scores" in text


def test_ties_are_told_by_scheme_and_by_rows() -> None:
    found = compare(
        datasets.load_cranfield("ap").iloc[:12, :4],
        "wilcoxon_signed_rank",
        scheme=["raw", "normal"],
    )
    rows = {
        "raw": ["Signed rank; ties at 4 decimals; exact"] * 2 + ["Signed rank; exact"] * 4,
        "normal": [""] * 6,  # of pairs without a p value
    }
    table = found.table.copy()
    for scheme, methods in rows.items():
        table.loc[table["scheme"] == scheme, "method"] = methods
    told = "in all digits in 4 rows, after rounding to 4 decimals in 2 rows (raw scores)."
    assert f"Differences tie if they are equal {told}" in caption(replace(found, table=table))


def test_a_test_of_your_own_may_say_nothing_of_its_null() -> None:
    found = compare(datasets.load_cranfield("ap").iloc[:12, :4], "friedman")
    test = AllSystems(
        found.chosen.test.function, source="nobody", minimum=2, post_hoc=(), null="", assumes=""
    )
    known, text = (
        caption(replace(found, chosen=replace(found.chosen, test=each)))
        for each in (found.chosen.test, test)
    )
    for part in ("Null hypothesis:", "Assumption:", "Post hoc tests of pairs: Nemenyi's test"):
        assert part in known
        assert part not in text
    assert "A small p value does not show which systems differ. Settings: test" in text


@pytest.mark.parametrize("test", ["wilcoxon_signed_rank", "mann_whitney", "sign"])
def test_of_no_pair_with_a_p_value_no_ties_are_told(test: str) -> None:
    """The systems have scores on different topics, and the table is written all the same."""
    scores = pd.DataFrame({"a": [0.1, np.nan], "b": [np.nan, 0.2]})
    raw = Standardizer("raw", missing="omit")
    text = caption(compare(scores, test, scheme=raw))
    assert ("tie if they are equal" in text) == (test == "mann_whitney")
    assert "; missing omit." in text


def test_systems_with_other_numbers_of_scores_have_a_column_of_them() -> None:
    scores = datasets.load_cranfield("ap").iloc[:12, :4]
    raw = Standardizer("raw", missing="omit")
    table = of_systems(compare(scores, "paired_t", scheme=raw), "as given")
    assert "n" not in [column.header for column in table.columns]
    holes = scores.mask(scores.eq(scores.iloc[5, 2]) & (scores.columns == scores.columns[2]))
    table = of_systems(compare(holes, "paired_t", scheme=raw), "as given")
    cells = {column.header: column.cells for column in table.columns}
    n = holes.notna().sum()
    assert cells["n"] == [str(n[system]) for system in cells["system"]]
    assert len(set(cells["n"])) == 2
