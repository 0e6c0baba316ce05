"""The reproduction of Webber et al. (2008) on made-up scores, and on folders that are broken."""

import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cdfscore.errors import CdfscoreError, ScoresError
from cdfscore.experiments import Halves, SchemeMatrices
from cdfscore.experiments.papers import webber2008 as all_numbers
from cdfscore.experiments.papers.webber2008 import (
    Collections,
    Printed,
    beside,
    beside_in_words,
    figure_tables,
    printed,
    read_collections,
    tables,
)
from cdfscore.stats.rank_correlation import drmse

FEW = {"samples": 4, "partitions": 3, "repartitions": 6, "sizes": (2, 20)}
TOPICS = [*range(301, 451), *range(601, 672), *range(673, 701)]


@pytest.fixture(scope="session")
def made_up(tmp_path_factory) -> Path:
    """Return a folder of the right files: scores of random systems on topics of their own."""
    folder = tmp_path_factory.mktemp("data")
    random = np.random.default_rng(8)
    difficulty = pd.Series(random.beta(2, 5, len(TOPICS)), index=TOPICS)

    def write(
        path: Path, topics: list[int], systems: int, *, labelled: bool = False, p10: bool = False
    ) -> None:
        path.parent.mkdir(exist_ok=True)
        noise = random.beta(2, 5, (len(topics), systems))
        scores = (difficulty[topics].to_numpy()[:, np.newaxis] + noise) / 2
        frame = pd.DataFrame(scores.round(1 if p10 else 4), index=topics)
        frame = frame.rename(columns="run{}".format)
        frame.to_csv(path, index=labelled, index_label="topic" if labelled else None)

    for suffix, p10 in (("ap", False), ("p10", True)):
        path = folder / "robust2004" / f"robust2004_{suffix}.csv"
        write(path, TOPICS, 110, labelled=True, p10=p10)
        for name, topics, systems in (
            ("adhoc7", range(351, 401), 103),
            ("adhoc8", range(401, 451), 129),
        ):
            path = folder / "adhoc" / f"{name}_{suffix}.csv"
            write(path, list(topics), systems, p10=p10)
    topics = [*range(301, 351), *range(601, 651)]
    write(folder / "robust2003" / "robust2003_ap.csv", topics, 78)
    return folder


@pytest.fixture
def copied(made_up, tmp_path) -> Path:
    """Return a copy of the folder, to break."""
    for path in made_up.rglob("*.csv"):
        target = tmp_path / path.relative_to(made_up)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(path.read_bytes())
    return tmp_path


@pytest.fixture(scope="session")
def made_up_tables(made_up) -> dict[str, pd.DataFrame]:
    """Return the tables of the folder, which tests read and do not change."""
    return tables(made_up)


@pytest.fixture(scope="session")
def made_up_figures(made_up) -> dict[str, pd.DataFrame]:
    """Return the tables of its figures, likewise."""
    return figure_tables(made_up, **FEW)


@pytest.mark.clause("webber2008.2", "webber2008.4")
def test_the_table_of_printed_numbers() -> None:
    numbers = printed()
    counts = Counter(number.place for number in numbers)
    cells = {f"Table {i}": n for i, n in enumerate((16, 6, 6, 12, 6, 24), start=1)}
    assert {place: counts[place] for place in cells} == cells
    assert len({(n.place, n.row, n.column) for n in numbers}) == len(numbers) == 111
    for number in numbers:
        assert 51 <= number.page <= 58
        assert re.fullmatch(r"\d+(\.\d+)?", number.value)
        assert number.needs == number.needs.strip()
        assert number.row
        assert number.column
        assert (number.low is None) == (number.high is None)
        if number.low is not None and number.high is not None:
            assert number.words
            assert number.low <= float(number.value) <= number.high
    needed = Counter(number.needs for number in numbers if number.place in cells)
    assert needed == {"": 58, "relevance judgments": 12}


@pytest.mark.clause("webber2008.2")
@pytest.mark.parametrize(
    ("value", "needs", "computed", "status"),
    [
        ("0.627", "", 0.6274996, "equal"),
        ("0.627", "", 0.6275004, "differs"),
        ("0.500", "", 0.4996, "equal"),
        ("0.50", "", 0.4949, "differs"),
        ("103", "", 103.0, "equal"),
        ("103", "", 102.0, "differs"),
        ("17.88", "relevance judgments", np.nan, "needs relevance judgments"),
        ("17.88", "", np.nan, "differs"),
        ("17.88", "relevance judgments", 17.88, "in part"),
    ],
)
def test_status(value, needs, computed, status) -> None:
    number = Printed("Table 9", 51, "row", "column", value, needs=needs)
    table = beside([number], [computed])
    assert table["status"].tolist() == [status]
    assert table["printed"].tolist() == [value]


@pytest.mark.clause("webber2008.2")
@pytest.mark.parametrize(
    ("computed", "status"),
    [
        (14.499, "differs"),
        (14.5, "as worded"),
        (15.0, "as worded"),
        (15.001, "differs"),
        (np.nan, "differs"),
    ],
)
def test_status_of_a_number_with_words(computed, status) -> None:
    number = Printed("Section 9", 51, "row", "column", "15", "almost 15", 14.5, 15.0, note="why")
    (line,) = beside_in_words([number], [computed]).to_dict("records")
    assert line["status"] == status
    assert [line[name] for name in ("printed", "words", "low", "high", "note")] == [
        *("15", "almost 15", 14.5, 15.0, "why")
    ]


def test_tables_have_a_line_for_each_printed_cell(made_up_tables) -> None:
    found = made_up_tables
    assert list(found) == [*(f"table{i}" for i in range(1, 7)), "text"]
    for number in printed():
        if all_numbers.is_randomized(number):
            continue
        name = number.place.lower().replace(" ", "") if "Table" in number.place else "text"
        table = found[name]
        line = table[
            (table["place"] == number.place)
            & (table["row"] == number.row)
            & (table["column"] == number.column)
        ].to_dict("records")
        assert len(line) == 1
        assert line[0]["printed"] == number.value
        assert line[0]["page"] == number.page
        if np.isnan(line[0]["computed"]):
            assert number.needs
            assert line[0]["status"] == f"needs {number.needs}"
        else:
            assert line[0]["status"] in ("equal", "as worded", "differs")
    assert "differs" in set(found["table3"]["status"])  # the scores are made up


@pytest.mark.clause("webber2008.5")
def test_figures(made_up, made_up_figures) -> None:
    found = made_up_figures
    assert list(found) == [
        *("figure1", "figure2", "figure3", "figure3_quartiles"),
        *("figure4", "figure5", "figure6", "figure7", "randomized"),
    ]
    matrix = pd.read_csv(made_up / "adhoc" / "adhoc8_ap.csv")
    np.testing.assert_array_equal(
        found["figure1"].set_index("system").to_numpy(), matrix.to_numpy().T
    )
    assert list(found["figure1"]) == ["system", *map(str, range(401, 451))]
    second = found["figure2"]
    assert second["rank"].tolist() == list(range(1, 130))
    assert second["mean"].is_monotonic_decreasing
    assert second["mean"].iloc[0] == pytest.approx(matrix.mean().max())
    assert matrix.mean().idxmax() == second["system"].iloc[0]
    assert (second["conf_low"] < second["mean"]).all()
    assert (second["conf_high"] > second["mean"]).all()
    assert found["figure3"][["AP", "sAP"]].sum().tolist() == pytest.approx([1, 1])
    quartiles = np.percentile(matrix.to_numpy(), [25, 50, 75])
    assert found["figure3_quartiles"]["AP"].tolist() == pytest.approx(quartiles.tolist())


def test_figures_of_trials(made_up_figures) -> None:
    found = made_up_figures
    fourth = found["figure4"]
    assert fourth["collection"].tolist() == ["T03.rob"] * 2
    assert fourth["systems"].tolist() == [78] * 2
    assert fourth["size"].tolist() == [2, 20]
    assert set(fourth["samples"]) == {4}
    assert set(fourth["constant_policy"]) == {"limit"}
    assert (fourth["lowest_99"] <= fourth["lowest_95"]).all()
    assert (fourth["lowest_95"] <= fourth["median"]).all()
    for name, trials in (("figure5", 3), ("figure6", 6)):
        bars = found[name].set_index(["measure", "form"])
        assert set(bars["partitions"]) == {trials}
        drawn = bars[bars["needs"] == ""]
        assert list(drawn.index) == [
            ("P@10", "raw"),
            ("P@10", "standardized"),
            ("SP/AP", "normalized"),
            ("SP/AP", "standardized"),
        ]
        assert drawn["mean"].notna().all()
        assert bars["mean"].isna().sum() == 8
    seventh = found["figure7"].set_index(["measure", "form"])
    p10 = seventh.loc[("P@10", "standardized")]
    assert np.isnan(p10["all_pairs"])
    assert p10["without_T03.rob"] > 0
    assert p10["needs"] == "P@10 of T03.rob"
    randomized = found["randomized"]
    needs = randomized["status"].str.startswith("needs ")
    # samples of 5, 10 and 15 systems were not drawn
    assert needs.tolist() == [False] * 9 + [True, True, False, True]
    assert randomized["computed"].isna().tolist() == [True] * 3 + needs.tolist()[3:]
    assert randomized["status"].tolist()[:3] == ["not sampled"] * 3
    assert randomized["page"].tolist() == [55] * 3 + [56] * 10
    assert randomized["place"].tolist() == [
        p.place for p in printed() if all_numbers.is_randomized(p)
    ]


@pytest.mark.clause("webber2008.5")
def test_bins_of_figure_3(made_up, made_up_figures) -> None:
    shares = made_up_figures["figure3"]
    assert shares["from"].tolist() == pytest.approx([k / 20 for k in range(20)])
    assert shares["to"].tolist() == pytest.approx([k / 20 for k in range(1, 21)])
    scores = pd.read_csv(made_up / "adhoc" / "adhoc8_ap.csv").to_numpy().ravel()
    # scores have 4 digits; those at an edge are in the bin above
    counted = pd.Series((scores * 10_000).round() // 500).value_counts(normalize=True)
    assert shares["AP"].tolist() == pytest.approx([counted.get(k, 0.0) for k in range(20)])


@pytest.mark.clause("webber2008.7")
def test_figure_7_is_the_mean_over_the_pairs_of_tables_3_and_5(
    made_up_tables, made_up_figures
) -> None:
    bars = made_up_figures["figure7"].set_index(["measure", "form"])
    found = made_up_tables
    raw, standardized = (found[f"table{k}"].set_index(["row", "column"]) for k in (3, 5))
    for form, table in (("normalized", raw), ("standardized", standardized)):
        each = table["computed"]
        assert len(each) == 6
        without = each.drop("T03.rob", level="column").drop("T03.rob", level="row")
        assert bars.loc[("SP/AP", form), "all_pairs"] == pytest.approx(each.mean())
        assert bars.loc[("SP/AP", form), "without_T03.rob"] == pytest.approx(without.mean())


@pytest.mark.clause("webber2008.6")
def test_figure_4_has_the_lowest_of_95_and_99_of_100(made_up) -> None:
    collections = read_collections(made_up)
    sampled = all_numbers.experiment(collections, (2, 20), 1)
    tau = np.random.default_rng(1).permutation(np.linspace(0, 1, 1001))
    taus = np.stack([tau, tau / 2], axis=1)[:, np.newaxis]
    arrays = {"tau_largest": taus, "constant": np.ones((1001, 2))}
    table = all_numbers.figure4(collections, sampled, arrays)
    for size, factor in ((2, 1.0), (20, 0.5)):
        for column, value in (("median", 0.5), ("lowest_95", 0.05), ("lowest_99", 0.01)):
            (found,) = table.loc[table["size"] == size, column]
            assert found == pytest.approx(value * factor)


def qrels_of(topics: list[int], seed: int = 3) -> tuple[str, dict[int, tuple[int, int]]]:
    """Return judgments, and the numbers of judged and relevant documents; some are not judged."""
    random = np.random.default_rng(seed)
    lines, counts = [], {}
    for topic in topics:
        relevance = [1, *random.integers(-1, 3, random.integers(5, 40))]
        lines += [f"{topic} 0 d{i} {each}" for i, each in enumerate(relevance)]
        counts[topic] = sum(r >= 0 for r in relevance), sum(r > 0 for r in relevance)
    return "\n".join(lines) + "\n", counts


@pytest.mark.clause("webber2008.2", "webber2008.7")
def test_judgments_give_sp_and_the_bars_that_need_them(made_up, made_up_figures, tmp_path) -> None:
    text, counts = qrels_of(TOPICS)
    (tmp_path / "qrels.txt").write_text(text)
    collections = read_collections(made_up, tmp_path / "qrels.txt")
    found = tables(collections)
    table6 = found["table6"].set_index(["row", "column"])
    assert not table6["status"].str.startswith("needs").any()
    robust = {
        name: pd.read_csv(made_up / "robust2004" / f"robust2004_{name}.csv", index_col="topic")
        for name in ("ap", "p10")
    }
    numbers = pd.DataFrame.from_dict(counts, orient="index", columns=["judged", "relevant"])
    sp = robust["ap"].mul(numbers["relevant"], axis=0)
    for collection, topics in (("T7.adh", range(351, 401)), ("T03.rob", range(601, 651))):
        own = numbers.loc[topics]
        expected = {
            "Judged": own["judged"].mean(),
            "Relevant": own["relevant"].mean(),
            "SP": sp.loc[topics].to_numpy().mean(),
        }
        for row, value in expected.items():
            assert table6.loc[(row, collection), "computed"] == pytest.approx(value, rel=1e-12)
    drawn = figure_tables(collections, **FEW)
    for name in ("figure5", "figure6"):
        bars = drawn[name].set_index(["measure", "form"])
        assert (bars["needs"] == "").sum() == 6
        before = made_up_figures[name].set_index(["measure", "form"])
        kept = before[before["needs"] == ""].index
        pd.testing.assert_frame_equal(bars.loc[kept], before.loc[kept], check_exact=True)
    raw = sp.loc[351:450].to_numpy()
    of_sp = SchemeMatrices(("SP",), raw, raw[np.newaxis], raw[np.newaxis])
    halved = Halves(of_sp, seed=1).run(range(3))
    bar = drawn["figure5"].set_index(["measure", "form"]).loc[("SP/AP", "raw")]
    assert bar["mean"] == pytest.approx(halved["drmse"].mean(), rel=1e-12)
    ideal = numbers["relevant"].clip(upper=10) / 10
    normalized = robust["p10"].div(ideal, axis=0)
    pairs = [
        drmse(*(normalized.loc[topics].mean().to_numpy() for topics in pair))
        for pair in combinations(
            [range(351, 401), range(401, 451), range(601, 651), [t for t in TOPICS if t > 650]], 2
        )
    ]
    bars = drawn["figure7"].set_index(["measure", "form"])
    assert bars.loc[("P@10", "normalized"), "all_pairs"] == pytest.approx(np.mean(pairs), rel=1e-9)
    line = drawn["randomized"].set_index("row").loc["SP, not standardized"]
    assert not line["status"].startswith("needs")
    sixth = drawn["figure6"].set_index(["measure", "form"]).loc[("SP/AP", "raw")]
    assert line["computed"] == pytest.approx(100 * sixth["percentile_97.5"])
    smallest = drawn["randomized"].set_index("column").loc["smallest mean rate"]
    assert smallest["note"].endswith("6 of the 12 bars; the rest needs DCG and RBP scores")


def test_judgments_of_several_files(made_up, tmp_path) -> None:
    """Topic 672, which was dropped, and others may be in them."""
    whole, _ = qrels_of([*range(301, 451), *range(601, 701)])
    (tmp_path / "one.txt").write_text(whole)
    folder = tmp_path / "folder"
    folder.mkdir()
    for start in ("3", "4", "6", "7"):
        own = [line for line in whole.splitlines(keepends=True) if line.startswith(start)]
        (folder / f"qrels{start}.txt").write_text("".join(own))
    for hidden in (".DS_Store", "._qrels3.txt", ".directory"):
        (folder / hidden).write_bytes(b"\0\1 no judgments")
    found = [read_collections(made_up, tmp_path / name).judgments for name in ("one.txt", "folder")]
    pd.testing.assert_frame_equal(found[0], found[1])
    assert len(found[0]) == 199
    (folder / "README").write_text("these are judgments\n")
    with pytest.raises(CdfscoreError, match="README"):
        read_collections(made_up, folder)


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        (lambda lines: [x for x in lines if not x.startswith("351 ")], "topic 351 is absent"),
        (
            lambda lines: [
                x for x in lines if not x.startswith("700 ") or x.endswith((" 0", "-1"))
            ],
            "topic 700 has no relevant document; expected relevance judgments of topics 351-450",
        ),
        (lambda lines: [*lines[:3], "351 0 d1"], "line 4 has 3 columns; expected 4"),
        (lambda lines: [], "qrels.txt"),
    ],
)
def test_judgments_are_refused(made_up, tmp_path, change, fragment) -> None:
    lines = change(qrels_of(TOPICS)[0].splitlines())
    (tmp_path / "qrels.txt").write_text("\n".join(lines) + "\n")
    with pytest.raises(CdfscoreError, match=re.escape(fragment)):
        read_collections(made_up, tmp_path / "qrels.txt")
    (tmp_path / "again.txt").write_text(qrels_of([351])[0])
    (tmp_path / "qrels.txt").write_text(qrels_of(TOPICS)[0])
    with pytest.raises(ScoresError, match="topic 351 is in another file; expected it in one"):
        read_collections(made_up, tmp_path)
    with pytest.raises(CdfscoreError, match="nowhere"):
        read_collections(made_up, tmp_path / "nowhere.txt")


@pytest.mark.clause("webber2008.1")
def test_scores_of_original_systems_that_are_not_public(made_up) -> None:
    collections = read_collections(made_up)
    assert collections.originals("T03.rob", "AP").index.tolist() == list(map(str, range(601, 651)))
    with pytest.raises(ScoresError, match=r"P@10 of the original systems of T03\.rob is not"):
        collections.originals("T03.rob", "P@10")


def test_without_a_folder(tmp_path) -> None:
    with pytest.raises(
        ScoresError, match="has no folder 'robust2004'; expected a folder that contains"
    ):
        tables(tmp_path)
    (tmp_path / "robust2004").mkdir()
    with pytest.raises(ScoresError, match="has no folder 'robust2003'"):
        figure_tables(tmp_path)
    with pytest.raises(ScoresError, match="has no folder 'robust2004'"):
        tables(tmp_path / "nowhere")


def without_lines(text: str, *lines: int) -> str:
    return "".join(row for i, row in enumerate(text.splitlines(True)) if i not in lines)


def without_a_column(text: str) -> str:
    return "\n".join(row.rpartition(",")[0] for row in text.splitlines()) + "\n"


def without_a_score(text: str) -> str:
    return re.sub(r",[\d.]+\n\Z", ",\n", text)


@pytest.mark.clause("webber2008.1")
@pytest.mark.parametrize(
    ("name", "broken", "fragment"),
    [
        ("adhoc/adhoc7_ap.csv", None, "adhoc7_ap.csv cannot be read"),
        ("robust2004/robust2004_p10.csv", None, "robust2004_p10.csv cannot be read"),
        ("adhoc/adhoc7_ap.csv", without_a_column, "has 50 topics and 102 systems; expected 50"),
        (
            "adhoc/adhoc8_p10.csv",
            lambda text: without_lines(text, 7),
            "has 49 topics and 129 systems; expected 50 topics, 401-450 in order, and 129 systems",
        ),
        ("robust2004/robust2004_ap.csv", without_a_column, "has 109 systems; expected 110"),
        (
            "robust2004/robust2004_ap.csv",
            lambda text: without_lines(text, 51, 52),
            "lacks topic 351; expected 110 systems on topics 351-450 and 601-700 without 672",
        ),
        (
            "robust2004/robust2004_ap.csv",
            without_a_score,
            "topic '700', system 'run109': the score is missing",
        ),
        (
            "robust2003/robust2003_ap.csv",
            lambda text: without_lines(text, 7),
            "has 99 topics and 78 systems; expected 50 others and 50 topics, 601-650 in order, and "
            "78 systems",
        ),
        ("adhoc/adhoc8_ap.csv", without_a_score, "adhoc8_ap.csv, topic '50', system 'run128'"),
        (
            "adhoc/adhoc8_ap.csv",
            lambda text: text.replace("run3,", "other,", 1),
            "the files adhoc/adhoc8_*.csv do not have the same systems",
        ),
        ("adhoc/adhoc8_ap.csv", lambda text: text.replace("0.", "x.", 1), "'x."),
    ],
)
def test_broken_data(copied, name, broken, fragment) -> None:
    path = copied / name
    if broken is None:
        path.unlink()
    else:
        path.write_text(broken(path.read_text()))
    with pytest.raises(ScoresError) as caught:
        read_collections(copied)
    assert fragment in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "fragment"),
    [
        ({"samples": 0}, "samples is 0; expected 1 or more"),
        ({"partitions": 0}, "partitions is 0; expected 1 or more"),
        ({"repartitions": -1}, "repartitions is -1; expected 1 or more"),
        ({"sizes": (2, 79)}, "sizes=79 is not accepted; expected a whole number from 2 to 78"),
        ({"resume": True}, "resume"),
    ],
)
def test_bad_settings(made_up, settings, fragment) -> None:
    with pytest.raises(CdfscoreError) as caught:
        figure_tables(made_up, **{**FEW, **settings})
    assert fragment in str(caught.value)


@pytest.fixture(scope="module")
def t8(shared_data) -> pd.DataFrame:
    """Return AP of the original systems of T8.adh."""
    scores = pd.read_csv(shared_data / "adhoc" / "adhoc8_ap.csv")
    return scores.set_axis(map(str, range(401, 451)))


@pytest.mark.clause("webber2008.2", "webber2008.4")
def test_numbers_of_t8_that_are_not_as_printed(t8: pd.DataFrame) -> None:
    collections = Collections({}, {("T8.adh", "AP"): t8})
    numbers = [n for n in printed() if n.place in ("Section 2", "Section 3", "Figure 3")]
    table = beside_in_words(numbers, [all_numbers.computed(collections, n) for n in numbers])
    differ = table[table["status"] == "differs"].set_index("row")["computed"]
    assert len(table) == 17
    assert set(table["status"]) == {"equal", "as worded", "differs"}
    means = t8.mean().sort_values(ascending=False)
    sds = t8.std(axis=1).sort_values(ascending=False).to_numpy()
    expected = {
        "systems of Table 1": means.iloc[0] / means.iloc[96],
        "topics of T8.adh by sd": sds[0] / sds[37],
        "AP of T8.adh": 100 * (t8 < 0.2).to_numpy().mean(),
    }
    assert differ.to_dict() == pytest.approx(expected)
    assert [f"{x:.2f}" for x in expected.values()] == ["2.67", "3.24", "52.65"]
    assert f"{sds[0] / sds[44]:.1f}" == "5.8"
    ranks = t8.mean(axis=1).rank(ascending=False)
    assert ranks[["403", "430", "414", "401"]].tolist() == [1, 6, 24, 45]


@pytest.mark.clause("webber2008.1")
def test_the_divisor_of_the_printed_sds_is_n_minus_1(t8: pd.DataFrame) -> None:
    first = t8.mean().idxmax()
    sds = [f"{t8[first].std(ddof=ddof):.3f}" for ddof in (1, 0)]
    (cell,) = (n for n in printed() if (n.row, n.column) == ("st.dev", "READWARE2"))
    assert cell.value == sds[0] == "0.224" != sds[1]


@pytest.mark.long
@pytest.mark.clause("webber2008.3", "webber2008.4")
def test_numbers_from_other_partitions(shared_data) -> None:
    """Those of Figures 5 and 6 for AP, with the seed 1."""
    collections = read_collections(shared_data)
    t7, t8, t03 = (collections.evaluated(n, "AP") for n in ("T7.adh", "T8.adh", "T03.rob"))

    def halves(*parts: pd.DataFrame) -> Halves:
        raw = np.concatenate(parts)
        return Halves(SchemeMatrices(("AP",), raw, raw[np.newaxis], raw[np.newaxis]), seed=1)

    found = halves(t7, t8).run(range(2000))
    assert f"{found['drmse'][:1000].mean():.3f}" == "0.622"
    assert f"{found['false_positives'].mean():.3f}" == "0.055"
    assert f"{found['false_positives'].std(ddof=1) / np.sqrt(2000):.3f}" == "0.003"
    of_t03 = halves(t7, t03).run(range(1000))
    assert f"{of_t03['drmse'].mean():.3f}" == "0.582"


@pytest.mark.long
@pytest.mark.clause("webber2008.1", "webber2008.2")
def test_the_divisor_of_standardization_is_n_minus_1(shared_data) -> None:
    """The dRMSE of T7.adh and T04.rob in Table 5 is 0.373, and would be 0.372 with n."""
    collections = read_collections(shared_data)
    found = []
    for ddof in (1, 0):
        means = []
        for name in ("T7.adh", "T04.rob"):
            x, given = (f(name, "AP") for f in (collections.evaluated, collections.originals))
            z = x.sub(given.mean(axis=1), axis=0).div(given.std(axis=1, ddof=ddof), axis=0)
            means.append(stats.norm.cdf(z).mean(axis=0))
        rmse = np.sqrt(np.mean((means[0] - means[1]) ** 2))
        found.append(f"{2 * rmse / (means[0].std(ddof=1) + means[1].std(ddof=1)):.3f}")
    (cell,) = (
        n for n in printed() if (n.place, n.row, n.column) == ("Table 5", "T7.adh", "T04.rob")
    )
    assert cell.value == found[0] == "0.373" != found[1]


@pytest.mark.long
@pytest.mark.clause("webber2008.2")
@pytest.mark.parametrize("equal_var", [True, False], ids=["student", "welch"])
def test_both_t_tests_of_scipy_give_table_4(shared_data, equal_var) -> None:
    collections = read_collections(shared_data)
    for cell in (n for n in printed() if n.place == "Table 4"):
        x, y = (collections.evaluated(name, "AP").to_numpy() for name in (cell.row, cell.column))
        p = stats.ttest_ind(x, y, equal_var=equal_var, alternative="greater").pvalue
        assert str((p <= 0.025).sum()) == cell.value
