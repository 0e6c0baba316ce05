"""What the page on leaderboards claims beside what tests/test_docs_leaderboards.py checks."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, compare, read_scores
from cdfscore.stats.numerics.types import Array
from tests.claims import claim

NO_TASKS = ["RTFx", "Model size (B)"]


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "leaderboards"


@claim(
    "docs/leaderboards.md",
    "the average of nvidia/canary-180m-flash is given as 7.12, and the mean of its 8 error rates "
    "is 6.94; for the other model 7.77 and 7.52",
)
def test_two_averages_that_are_none(folder: Path) -> None:
    rows = pd.read_csv(folder / "asr_english.csv").set_index("model")
    tasks = rows.select_dtypes("number").drop(columns=[*NO_TASKS, "Avg. WER"])
    assert tasks.shape == (87, 8)
    apart = (tasks.mean(axis=1) - rows["Avg. WER"]).abs() > 0.05
    assert [
        (rows["Avg. WER"][model], round(tasks.loc[model].mean(), 2)) for model in rows.index[apart]
    ] == [(7.12, 6.94), (7.77, 7.52)]


@claim(
    "docs/leaderboards.md", "and LS Clean 3.4 %: two of eight tasks have more than half of the sum"
)
@claim("docs/leaderboards.md", "its raw mean would rise from -6.94 to -5.81")
def test_say_of_the_tasks(folder: Path) -> None:
    scores = read_scores(folder / "asr_english.csv", drop_topics=NO_TASKS)
    variances = scores.var(axis=1)
    part = variances / variances.sum()
    assert round(100 * part["LS Clean WER"], 1) == 3.4
    assert part.nlargest(2).sum() > 0.5
    model = scores["nvidia/canary-180m-flash"]
    assert (round(-model.mean(), 2), round(-model.drop("AMI WER").mean(), 2)) == (-6.94, -5.81)


@claim(
    "docs/leaderboards.md",
    "In the multilingual table elevenlabs/scribe_v2 is the first by all six schemes, and "
    "assembly/universal-3-pro is the second. The third is mistralai/Voxtral-Small-24B-2507 by "
    "`raw`, `normal` and `empirical`, and CohereLabs/cohere-transcribe-03-2026 by `z`, `uniform` "
    "and `minmax`",
)
def test_the_multilingual_table(folder: Path) -> None:
    scores = read_scores(folder / "asr_multilingual.csv", drop_topics=NO_TASKS)
    assert scores.shape == (13, 30)
    third = {}
    for scheme in ("raw", "z", "normal", "uniform", "minmax", "empirical"):
        means = Standardizer(scheme, lower_is_better=True).standardize(scores).means["mean"]
        first, second, third[scheme] = means.nlargest(3).index
        assert (first, second) == ("elevenlabs/scribe_v2", "assembly/universal-3-pro")
    voxtral = {scheme for scheme, name in third.items() if "Voxtral-Small-24B-2507" in name}
    cohere = {scheme for scheme, name in third.items() if "cohere-transcribe-03-2026" in name}
    assert voxtral == {"raw", "normal", "empirical"}
    assert cohere == {"z", "uniform", "minmax"}


@claim("docs/leaderboards.md", "with the critical difference of 1.254")
@claim(
    "docs/leaderboards.md",
    "His critical differences, 1.25 at 0.05 and 1.12 at 0.10, agree with the p values: the mean "
    "ranks of C4.5 and C4.5+m+cf are 1.214 apart, and those of C4.5 and C4.5+m 1.143",
)
@claim(
    "docs/leaderboards.md", "| 9.857; corrected for ties, as in R and here, 10.952 (p = 0.012) |"
)
def test_ranks_of_demsar(folder: Path) -> None:
    scores = read_scores(folder / "demsar2006_auc.csv")
    n, k = scores.shape
    found = compare(scores, "nemenyi")
    (least,) = found.critical_differences.values()
    assert round(float(least), 3) == 1.254
    ten = compare(scores, "nemenyi", alpha=0.1)
    (at_ten,) = ten.critical_differences.values()
    ranks = scores.rank(axis=1, ascending=False).mean()
    assert (
        round(ranks["C4.5"] - ranks["C4.5+m+cf"], 3),
        round(ranks["C4.5"] - ranks["C4.5+m"], 3),
    ) == (1.214, 1.143)
    assert 1.214 < 1.25 < least
    assert at_ten < 1.143
    plain = 12 * n / (k * (k + 1)) * ((ranks**2).sum() - k * (k + 1) ** 2 / 4)
    assert round(float(plain), 3) == 9.857
    assert math.isclose(compare(scores, "friedman").table["statistic"].item(), 10.952, abs_tol=5e-4)


@claim(
    "docs/which_scheme.md",
    "Of the 82 models with scores on all 56 tasks of the English MTEB table, the 30 others reverse "
    "0.7 % of the pairs, and change the winner of 6.6 % of the fields. Of the 87 speech "
    "recognizers [on 8 data sets](leaderboards.md), they reverse 1.3 % of the pairs, and change "
    "the winner of 13.3 % of the fields",
)
def test_what_other_models_decide(folder: Path) -> None:
    every = read_scores(folder / "mteb_english_half.csv")
    mteb = every.loc[:, every.notna().all()]
    asr = -read_scores(folder / "asr_english.csv", drop_topics=NO_TASKS)
    assert (mteb.shape, asr.shape) == ((56, 82), (8, 87))
    assert [decided_by_others(each.to_numpy()) for each in (mteb, asr)] == [(0.7, 6.6), (1.3, 13.3)]


def decided_by_others(scores: Array, own: int = 26, others: int = 30) -> tuple[float, float]:
    """Return the percentage of pairs that other models reverse, and of winners that they change."""
    wins = ((np.sign(scores[:, :, None] - scores[:, None, :]) + 1) / 2).mean(axis=0)
    rng, (first, second) = np.random.default_rng(1), np.triu_indices(own, 1)
    reversed_, changed, draws = 0, 0, 20_000
    for _ in range(draws):
        drawn = rng.permutation(scores.shape[1])[: own + others]
        alone = wins[np.ix_(drawn[:own], drawn[:own])].sum(axis=1).round(9)
        among = wins[np.ix_(drawn[:own], drawn)].sum(axis=1).round(9)
        signs = (alone[first] - alone[second]) * (among[first] - among[second])
        reversed_ += int((signs < 0).sum())
        changed += int(alone.argmax() != among.argmax())
    return round(100 * reversed_ / draws / len(first), 1), round(100 * changed / draws, 1)
