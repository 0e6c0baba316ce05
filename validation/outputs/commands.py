"""The commands whose outputs are digested: every scheme, test and experiment, on real scores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cdfscore import scheme_names
from cdfscore.stats.significance.contract import significance_tests

#: Matrices of the shared data, by the name of their file here.
SHARED = {
    "robust_ap.csv": "robust2004/robust2004_ap.csv",
    "robust_p10.csv": "robust2004/robust2004_p10.csv",
    "terabyte_ndcg.csv": "urbano2019/data/terabyte2006_ndcg.csv",
    "web_err20.csv": "web/web2010_err20.csv",
    "web_p20.csv": "web/web2012_p20.csv",
    "adhoc3_ap.csv": "gt4ireval/adhoc3.csv",
}
BUNDLED = {f"cranfield_{m}.csv": f"cranfield_{m}.csv" for m in ("ap", "ndcg10", "p10", "rr")}
#: Spellings beside the default of every scheme.
VARIANTS = (
    "empirical:convention=mid",
    "empirical:convention=strict",
    "kernel:bandwidth=sj",
    "kernel:bandwidth=ucv",
    "kernel:bandwidth=polansky_baker",
    "kernel:kernel=epanechnikov",
    "kernel:kernel=logistic",
    "kernel:boundary=reflection",
    "uniform:A=0.3,B=0.4",
    "beta_binomial:size=20",
)
#: Schemes that are fitted slowly have one matrix.
SLOW = {"johnson_su", "logspline", "mixture", "from_scipy", "zero_inflated"}
_EVERY_POLICY = ("--unfitted", "nan")

Command = tuple[str, ...]


def commands(data: Path) -> Iterator[tuple[str, Command]]:
    """Yield a label and the arguments of each command, which writes below the folder ``out``."""
    yield from _standardizations()
    yield from _comparisons()
    yield from _correlations()
    yield from _diagnoses()
    yield from _experiments()
    paper = str(data / "urbano2019" / "data")
    yield "urbano2019", ("reproduce", "urbano2019", "--data", paper, "--trials=200", "--out=out")
    yield "webber2008", ("reproduce", "webber2008", "--data", str(data), "--out=out")


def _standardizations() -> Iterator[tuple[str, Command]]:
    for scheme in (*scheme_names(), *VARIANTS):
        slow = scheme.partition(":")[0] in SLOW
        for matrix in ("cranfield_ap.csv",) if slow else (*BUNDLED, *SHARED):
            arguments = ("standardize", matrix, "--scheme", scheme, *_EVERY_POLICY)
            written = ("--save-factors=out/factors.json", "--out=out/y.csv")
            yield f"standardize {matrix} {scheme}", (*arguments, *written)
    for scheme in ("normal", "empirical", "kernel"):
        arguments = ("standardize", "robust_ap.csv", "--scheme", scheme, "--leave-one-out")
        yield f"leave one out {scheme}", (*arguments, "--out=out/y.csv")
    for constant in ("half", "urbano2019", "nan"):
        arguments = ("standardize", "web_p20.csv", "--scheme=normal", "--constant", constant)
        yield f"standardize {constant}", (*arguments, "--out=out/y.tsv")


def _comparisons() -> Iterator[tuple[str, Command]]:
    compared = [
        name
        for name in significance_tests.names()
        if significance_tests.load(name).samples not in ("one sample", "all systems")
    ]
    for test in compared:
        for matrix, schemes in (
            ("web_p20.csv", ("raw",)),
            ("adhoc3_ap.csv", ("raw", "empirical", "normal")),
        ):
            described = significance_tests.load(test)
            arguments = ["compare", matrix, "--test", str(described.chosen_example())]
            one_baseline = described.samples == "pairs" and described.one_baseline
            if described.shows == "difference" and not one_baseline:
                arguments.append("--letters=out/letters.csv")
            if one_baseline:
                arguments += ["--baseline", "sys1"]
            for scheme in schemes:
                arguments += ["--scheme", scheme]
            yield f"compare {matrix} {test}", (*arguments, "--out=out/pairs.csv")
    for ending in ("json", "tex", "md", "html", "tsv"):
        arguments = ("compare", "adhoc3_ap.csv", "--test=tukey_hsd", "--scheme=empirical")
        yield f"compare {ending}", (*arguments, f"--out=out/pairs.{ending}")
    arguments = ("compare", "demsar.csv", "--test=paired_t", "--diagram=out/cd.svg")
    yield "compare diagram", (*arguments, "--out=out/pairs.csv")


def _correlations() -> Iterator[tuple[str, Command]]:
    for scheme in ("raw", "empirical", "normal"):
        for a, b in (
            ("cranfield_ap.csv", "cranfield_p10.csv"),
            ("robust_ap.csv", "robust_p10.csv"),
        ):
            arguments = ("correlate", a, b, "--scheme", scheme)
            yield f"correlate {a} {b} {scheme}", (*arguments, "--out=out/found.csv")


def _diagnoses() -> Iterator[tuple[str, Command]]:
    few = ("--bootstrap=99", "--most=99")
    for matrix, schemes in (
        ("adhoc3_ap.csv", ("normal", "empirical", "kernel", "beta", "truncated_normal")),
        ("web_p20.csv", ("normal", "beta_binomial", "zero_inflated")),
    ):
        chosen = [argument for scheme in schemes for argument in ("--scheme", scheme)]
        arguments = ("diagnose", matrix, *chosen, *few)
        yield f"diagnose {matrix} csv", (*arguments, "--out=out/fits.csv")
        yield f"diagnose {matrix} json", (*arguments, "--out=out/fits.json", "--plot=out/pit.svg")


def _experiments() -> Iterator[tuple[str, Command]]:
    for kind in ("within", "between", "halves", "reference-size"):
        arguments = ("experiment", kind, "robust_ap.csv", "--scheme=raw", "--scheme=E=empirical")
        yield f"experiment {kind}", (*arguments, "--scheme=normal", "--trials=50", "--out=out")
