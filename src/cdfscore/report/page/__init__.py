"""One self-contained page of a whole analysis, as HTML."""

from __future__ import annotations

import base64
import platform
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import resources
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore import __version__
from cdfscore.common import threads
from cdfscore.common.files import check_ending, write_whole
from cdfscore.common.text import capitalized, counted, in_units, printable, written
from cdfscore.comparison import ranking
from cdfscore.comparison.comparison import Comparison, mean_intervals
from cdfscore.comparison.pairs import check_of_pairs, check_symmetric
from cdfscore.comparison.sensitivity import Sensitivity, sensitivity
from cdfscore.diagnosis.diagnosis import Diagnosis, diagnosed
from cdfscore.errors import (
    CdfscoreError,
    MissingDependencyError,
    RNotAvailableError,
    ScoresError,
    SignificanceError,
    VerificationError,
)
from cdfscore.plots import words
from cdfscore.report import writing
from cdfscore.report.comparison import agreement, moves, settings_of
from cdfscore.report.diagnosis import summary
from cdfscore.report.methods import best, entries, first_names, how_many, papers, results
from cdfscore.report.methods import methods as of_comparison
from cdfscore.scores.frame import as_scores
from cdfscore.standardization.standardized import ExtraTopics, Factors, Standardized
from cdfscore.standardization.standardizer import How, Standardizer, name_of, raw_as
from cdfscore.stats.adjustment import CORRECTIONS
from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.numerics.moments import mean
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.schemes.base import Scheme, parse_scheme
from cdfscore.stats.significance.contract import MEAN_RANKS, ChosenTest

if TYPE_CHECKING:
    import pandas as pd
    from jinja2 import Environment

    from cdfscore.scores.dataframes import IntoFrame
    from cdfscore.standardization.policies import UnfittedPolicy

_LETTERS = "Piepho (2004), letters"
_TAU_B = "Kendall (1945), tau_b"
_TAU_AP_B = "Yilmaz, Aslam and Robertson (2008) and Urbano and Marrero (2017), tau_ap_b"
_CRPS = "Gneiting and Raftery (2007), the score of the diagnosis"
# A file that is in the page.
_LINK = "data:text/plain;charset=utf-8;base64,"
#: Packages whose arithmetic is in the numbers, by the names of their distributions, and the papers
#: that they ask to be cited by.
PAPERS = {
    "numpy": "Harris et al. (2020)",
    "scipy": "Virtanen et al. (2020)",
    "pandas": "McKinney (2010)",
    "statsmodels": "Seabold and Perktold (2010)",
}
#: Columns of `Comparison.table` on the page, in their order, each with its header.
_PAIRS = {
    "p_adjusted": "adjusted p",
    "estimate": "",  # what the test estimates
    "effect_size": "",  # its name
    "p_value": "p",
    "n": "n",
    "statistic": "statistic",
    "parameter": "df",
}
# Intervals, each in the cell of the number that it is of.
_ENDS = {"estimate": ("conf_low", "conf_high"), "effect_size": ("effect_low", "effect_high")}
# Significant digits: more than a reader sees, and few enough for the size of the page.
_DIGITS = 6
# Systems in the first picture, groups of them, and rows of tables that can be downloaded.
_SHOWN, _MOST_GROUPS, _MOST_ROWS = 30, 12, 6000
# Columns of the histogram of a diagnosis.
_BINS = ("low", "high", "proportion", "expected", "band_low", "band_high")
_PACKAGES = {"jinja2": "Jinja", "itables": "itables", "vl_convert": "vl-convert-python"}
#: The name of the scores among the inputs.
SCORES = "scores"
#: The schemes of the sensitivity and of the diagnosis if no others are given: those that the
#: literature compares.
USUAL = ("raw", "normal", "uniform", "empirical")


@dataclass(frozen=True)
class Input:
    """A file that was read: what it is, its name, and the SHA-256 digest of its bytes."""

    what: str
    name: str
    sha256: str


@dataclass(frozen=True, eq=False)
class Parity:
    """The comparison with the judges: their tables of `cdfscore.verify`, and the script in R.

    `script` is None where none can be given; `reasons` say why, and why a judge was not asked or
    did not compute the numbers. `stopped` is what R says if it stops where Python does not, and
    `run` the command that runs the script.
    """

    tables: list[pd.DataFrame] = field(default_factory=list)
    script: bytes | None = None
    reasons: list[str] = field(default_factory=list)
    stopped: str = ""
    run: str = ""

    @classmethod
    def of(
        cls, in_r: Callable[[], pd.DataFrame] | None, by_statsmodels: Callable[[], pd.DataFrame]
    ) -> Parity:
        """Ask both judges, or statsmodels alone."""
        tables, reasons, stopped = list[Any](), list[str](), ""
        try:
            tables += [] if in_r is None else [in_r()]
        except RNotAvailableError as error:
            reasons.append(f"not compared with R: {error}")
        except VerificationError as error:
            stopped = f"R did not compute these numbers again: {error}"
        try:
            tables.append(by_statsmodels())
        except VerificationError as error:
            reasons.append(f"not compared with statsmodels: {error}")
        return cls(tables, None, reasons, stopped)

    @property
    def r_version(self) -> str:
        """The version of R; "" if it was not run."""
        return "".join(str(table.attrs.get("r_version", "")) for table in self.tables)

    @property
    def verified(self) -> str:
        """The versions of the judges, if all agree."""
        apart = self.apart or self.stopped
        return "" if apart else " and of ".join(t.attrs["judge"] for t in self.tables)

    @property
    def told(self) -> list[str]:
        """Where R differs and warns, and why a judge was not asked."""
        on_r = [note for table in self.tables for note in table.attrs.get("notes_on_r", [])]
        return [*self.doubts, *on_r, *self.reasons]

    @property
    def apart(self) -> list[str]:
        """Sentences on numbers that differ, none if all judges agree."""
        from cdfscore.r.analysis import verdicts

        found = []
        for table in self.tables:
            if not table["agrees"].all():
                found += [f"{table.attrs['judge']} differs {each}" for each in verdicts(table)]
        return found

    @property
    def doubts(self) -> list[str]:
        """What is told before all else: that numbers differ, or that R stops."""
        differ = [f"do not use these numbers: {reason}" for reason in self.apart]
        return [*differ, self.stopped] if self.stopped else differ

    @property
    def agreements(self) -> list[str]:
        """A sentence for each judge that agrees: on how many numbers, and which it lacks."""
        found = []
        for table in self.tables:
            judge, without = table.attrs["judge"], sum(table.attrs.get("without", {}).values())
            if table["agrees"].all():
                agree = "agree" if " and " in judge else "agrees"
                alone = f"; {without:,} have no counterpart" if without else ""
                found.append(
                    f"{judge} {agree} on all {table['count'].sum():,} numbers (scores, means and "
                    f"tests) within the tolerances{alone}."
                )
        return found


@dataclass(frozen=True, eq=False)
class Analysis:
    """The results that a page shows.

    `standardized` are the scores, and `comparison` the tests of them by the same scheme.
    `sensitivity` and `diagnosis` are None where they were not possible, which `notes` say.
    `diagnosed` names the scores of the diagnosis, and `command` is what was typed.
    """

    inputs: list[Input]
    standardized: Standardized
    comparison: Comparison
    sensitivity: Sensitivity | None
    diagnosis: Diagnosis | None
    diagnosed: str
    parity: Parity
    command: str
    notes: list[str] = field(default_factory=list)

    @property
    def scheme(self) -> str:
        """The scheme of the tests, as the command line spells it."""
        return self.comparison.schemes[0]

    @property
    def is_raw(self) -> bool:
        """True if the scores are analyzed as they are."""
        return not self.standardized.factors.fitted.parameters

    @property
    def cautions(self) -> list[str]:
        """Cautions on results that are easily misread, each once."""
        return list(dict.fromkeys([*self.comparison.cautions, *self.standardized.cautions]))

    @cached_property
    def letters(self) -> dict[str, str]:
        """The letters of systems; none where a baseline leaves pairs out."""
        if self.comparison.family.baselines:
            return {}
        try:
            return self.comparison.letters()
        except SignificanceError:
            return {}

    @property
    def all_notes(self) -> list[str]:
        """All notes, each once: errors first, then cautions, then the others."""
        found = [*self.parity.doubts, *self.cautions, *self.comparison.notes, *self.notes]
        for result in (self.sensitivity, self.diagnosis):
            found += [] if result is None else list(result.notes)
        for table in self.parity.tables:
            found += table.attrs["notes"]
        return list(dict.fromkeys([*found, *self.parity.reasons]))


def write_report(
    result: Comparison,
    path: str | Path,
    *,
    schemes: Sequence[How] = (),
    reference: IntoFrame | None = None,
    bootstrap: int = 0,
    seed: int = 1,
    verify: bool = True,
) -> None:
    """Write a comparison, and what must stand beside it, as one HTML page.

    The page is that of ``cdfscore report``: findings, methods, tables, charts, the sensitivity to
    the scheme, the diagnosis of the distributions, the agreement with R and statsmodels, and all
    notes. It needs no network and no other file.

    Parameters
    ----------
    result
        A result of `cdfscore.compare` by one scheme and a two-sided test of pairs.
    path
        The file, .html.
    schemes
        Other schemes whose conclusions are compared with those of the result. By default these are
        raw, normal, uniform and empirical.
    reference
        The scores that `Factors` of the result were fitted to, as for `cdfscore.verify`.
    bootstrap, seed
        The number of resamples for each topic in the tests of fit of the diagnosis, and their seed.
    verify
        If True, R (if it is installed) and statsmodels compute the numbers again.

    Raises
    ------
    MissingDependencyError
        If a package of ``pip install 'cdfscore[report]'`` is not installed.
    SignificanceError
        For another result, and a test that is not two-sided or not of pairs.
    ScoresError
        For two systems whose names look the same on a page.
    OutputError
        For another ending, and a file that cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from cdfscore import compare, datasets
    >>> from cdfscore.report import write_report
    >>> found = compare(datasets.load_cranfield("ap").iloc[:, :4], "paired_t", scheme="empirical")
    >>> page = Path(mkdtemp(), "report.html")
    >>> write_report(found, page, verify=False)
    >>> page.read_text(encoding="utf-8").count("<h1>")
    1
    """
    from cdfscore.r.verify import verify as verified

    if not isinstance(result, Comparison):
        raise SignificanceError(
            f"a report is of a comparison, and this is a {type(result).__name__}; expected a "
            "result of compare, such as compare(scores, 'paired_t')"
        )
    require_page_libraries()
    check_ending(path, (".html", ".htm"))
    own = None if reference is None else as_scores(reference)
    analysis = analysis_of(result, result.chosen, schemes, own, bootstrap=bootstrap, seed=seed)
    parity = Parity(reasons=["not compared with R and statsmodels, because of verify=False"])
    if verify:
        parity = Parity.of(
            lambda: verified(result, reference=own, against="r"),
            lambda: verified(result, reference=own, against="statsmodels"),
        )
    reason = "there is no R script, as the scores are not in a file; 'cdfscore report' writes one"
    parity = replace(parity, reasons=[reason, *parity.reasons])
    write_whole({Path(path): encode_page(replace(analysis, parity=parity))})


def analysis_of(
    comparison: Comparison,
    test: ChosenTest,
    schemes: Sequence[How] = (),
    reference: pd.DataFrame | None = None,
    *,
    bootstrap: int = 0,
    seed: int = 1,
    begin: Callable[[str], Callable[[int, int], None]] = lambda title: lambda done, total: None,
) -> Analysis:
    """Return what a page shows of a comparison: also other schemes, and the diagnosis.

    `test` is that of the other schemes, `reference` are the scores that factors are of, and `begin`
    begins a bar of progress.
    """
    if len(comparison.tested) != 1:
        raise SignificanceError(
            f"the comparison is by {len(comparison.tested)} schemes, and a page is of one; "
            "expected compare with one scheme, and the others as schemes=..."
        )
    check_of_pairs(comparison.chosen)
    check_symmetric(comparison.chosen, "reports")
    found = comparison.tested[0].standardized
    scores, how = found.given.frame, found.factors
    first: Standardizer | Factors = how
    if found.reference is not None:
        first = _policies_of(how, how.fitted.scheme, how.unfitted)
    seen: dict[str, str] = {}
    for name in map(str, scores.columns):
        if (twin := seen.setdefault(printable(name), name)) != name:
            raise ScoresError(
                f"the systems {twin!r} and {name!r} look the same on a page, {printable(name)}; "
                "expected names that differ in what can be printed"
            )
    if found.reference is not None and found.reference.frame is not scores:
        reference = found.reference.frame
    extra: ExtraTopics = "drop" if found.extra_topics else "refuse"
    usual = [parse_scheme(name) for name in USUAL[1:]]
    own = how.fitted.scheme
    distributions = [own] * (own.is_cdf and own not in usual) + usual
    schemes = [
        _policies_of(how, each, how.unfitted) if isinstance(each, str | Scheme) else each
        for each in schemes
    ]
    if first is how:
        beside: list[How] = [raw_as(how, scores), how, *schemes]
    else:
        # The other schemes leave out topics that they cannot be fitted to, with a note.
        others: list[How] = [
            _policies_of(how, name, "drop_topic") for name in (USUAL[:1] if schemes else USUAL)
        ]
        given = [first, *schemes]
        names = [name_of(way) for way in given]
        more = [way for way in others if name_of(way) not in names]
        beside = sorted([*given, *more], key=lambda way: name_of(way) != "raw")
    # The tests need neither of these.
    changes, of_changes = _attempted(
        "conclusions by other schemes are not compared",
        lambda: sensitivity(
            scores,
            beside,
            test=test,
            adjust=comparison.adjust,
            alpha=comparison.alpha,
            reference=reference,
            extra_topics=extra,
        ),
    )
    fit, of_fit = _attempted(
        "distributions are not diagnosed",
        lambda: diagnosed(
            scores if reference is None else reference,
            first,
            distributions,
            extra,
            alpha=comparison.alpha,
            bootstrap=bootstrap,
            seed=seed,
            jobs=threads.cores(),
            progress=begin("topics"),
        ),
    )
    of = "these scores" if reference is None else "the reference scores"
    return Analysis([], found, comparison, changes, fit, of, Parity(), "", [*of_changes, *of_fit])


def _policies_of(how: Factors, scheme: str | Scheme, unfitted: UnfittedPolicy) -> Standardizer:
    return Standardizer(
        scheme,
        how.constant,
        how.missing,
        unfitted,
        lower_is_better=how.lower_is_better,
        reflect_at=how.reflect_at,
    )


def _attempted(without: str, compute: Callable[[], Any]) -> tuple[Any, list[str]]:
    try:
        return compute(), []
    except CdfscoreError as error:
        return None, [f"{without}: {error}"]


def require_page_libraries() -> None:
    """Raise `MissingDependencyError` if a package that a page needs is not installed."""
    for module, package in _PACKAGES.items():
        if find_spec(module) is None:
            raise MissingDependencyError(
                f"a report needs {package}, which is not installed; run pip install "
                "'cdfscore[report]'"
            )


@cache
def libraries() -> dict[str, str]:
    """Return the scripts of tables and charts, the style of tables, and what they are."""
    import vl_convert

    # Found and not imported, as that takes a second.
    spec = find_spec("itables")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent / "html"
    told = (
        f"Tables: DataTables (MIT license), of itables {version('itables')}. Charts: Vega "
        f"{vl_convert.get_vega_version()} and Vega-Lite {vl_convert.get_vegalite_versions()[-1]} "
        f"(BSD license), of vl-convert {version('vl-convert-python')}."
    )
    return {
        "tables": (folder / "dt_bundle.js").read_text(encoding="utf-8"),
        "tables_style": (folder / "dt_bundle.css").read_text(encoding="utf-8"),
        "charts": vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"),
        "told": told,
    }


def encode_page(analysis: Analysis, spelled: Callable[[str], str] = str) -> bytes:
    """Return the page as one file without external parts; raises `MissingDependencyError`.

    `spelled` writes the arguments that a note names as its reader types them.
    """
    require_page_libraries()
    sources = [*cited(analysis), *cited_software(analysis)]
    names = ", ".join(Path(each.name).name for each in analysis.inputs if each.what == SCORES)
    fit, script = analysis.diagnosis, analysis.parity.script
    packages = ", ".join(f"{name} {version(name)}" for name in PAPERS)
    found_bibtex = "\n".join([bibtex(sources), *entries_of_software(analysis)])
    comparison, changes = analysis.comparison, analysis.sensitivity
    (system, topic), count = comparison.units, len(comparison.systems)

    def say(text: str) -> str:
        return in_units(comparison.units, spelled(text))

    measure = words.measure_label(comparison.measure)
    told = [*([] if measure == "score" else [measure]), words.scheme_label(analysis.scheme)]
    topics = len(analysis.standardized.frame)
    figures = {f"{system}s": f"{count:,}", f"{topic}s": f"{topics:,}"}
    differ, pairs = int(differs(comparison).sum()), len(comparison.table)
    figures["significant pairs"] = f"{differ:,} of {pairs:,}"
    for critical in comparison.critical_differences.values():  # of the one scheme
        figures["critical difference"] = writing.fixed(critical, 4)
    shown = _best_systems(analysis)
    means_told, of_means = "Mean ranks, 1 is the best", ""
    if shown["ranks"] and comparison.critical_differences:
        means_told += ", each with a line as long as the critical difference"
        of_means = (
            f"Two {system}s differ significantly if the point of one is at or beyond the end of "
            "the line of the other."
        )
    elif shown["bars"]:
        of_means = (
            f"Below: groups of {system}s, each with the letter that it has in the table of "
            f"{system}s. No significant difference was found within a group."
        )
    if comparison.chosen.test.location is not None:
        means_told = f"{capitalized(comparison.chosen.test.center)}s"
    elif not shown["ranks"]:
        level = f"{100 * comparison.chosen.conf_level:.12g} %"
        means_told = f"Means with {level} intervals, each for one {system}"
    if count > _SHOWN:
        means_told += f": the best {_SHOWN} of {count:,} {system}s"
    # A note may begin with the name of one of these, which then stays as it is spelled.
    schemes, of_schemes = [analysis.scheme, *(fit.schemes if fit is not None else [])], []
    if changes is not None:
        schemes += changes.comparison.schemes
        of_schemes = [agreement(changes), *([moves(changes)] * (len(changes.moves) > 0))]
    content: dict[str, Any] = {
        "analysis": analysis,
        "version": __version__,
        "title": f"{counted(count, system)} on {counted(topics, topic)}: {', '.join(told)}",
        "subtitle": names,
        "figures": figures,
        "means_told": means_told,
        "of_means": of_means,
        "system": system,
        "topic": topic,
        "downloads": {
            **{
                f"Pairs ({kind})": (name, _link(writing.encode(comparison, Path(name))))
                for kind, name in (("CSV", "pairs.csv"), ("LaTeX", "pairs.tex"))
                if name.endswith(".tex") or len(comparison.table) <= _MOST_ROWS
            },
            **({} if script is None else {"R script": ("analysis.R", _link(script))}),
            "BibTeX": ("references.bib", _link(found_bibtex.encode())),
        },
        "libraries": libraries(),
        "findings": [*map(spelled, findings(analysis))],
        "cautions": [
            writing.as_text(writing.as_sentence(say(each), schemes))
            for each in [*analysis.parity.doubts, *analysis.cautions]
        ],
        "methods": [*map(spelled, methods(analysis))],
        "styles": {
            style: of_comparison(comparison, style, verified=analysis.parity.verified)
            for style in ("latex", "markdown")
        },
        "results": spelled(results(comparison)),
        "software": f"cdfscore {__version__}, Python {platform.python_version()}, {packages}",
        "settings": settings_of(comparison),
        "reference": say(comparison.reference),
        "systems": _said(systems_table(analysis), say),
        "diagnosis": [] if fit is None else [_said(summary(fit), say)],
        "sensitivity": [_said(each, say) for each in of_schemes],
        "told_of_r": [writing.as_sentence(say(each)) for each in analysis.parity.told],
        "verdict": [] if fit is None else [*map(say, fit.verdict)],
        "parity": [
            parity_table(each).in_words(comparison.units) for each in analysis.parity.tables
        ],
        "script": script,
        "notes": [writing.as_sentence(say(note), schemes) for note in analysis.all_notes],
        "claims": [[*map(say, part)] for part in claims(analysis)],
        "counted": counted,
        "sources": sources,
        "bibtex": found_bibtex,
        "data": {**page_data(analysis), "best": shown},
    }
    return _environment().get_template("page.html").render(content).encode()


def _said(table: writing.Captioned, say: Callable[[str], str]) -> writing.Captioned:
    columns = [replace(column, header=say(column.header)) for column in table.columns]
    return replace(table, title=say(table.title), caption=say(table.caption), columns=columns)


def _link(content: bytes) -> str:
    return f"{_LINK}{base64.b64encode(content).decode()}"


def _best_systems(analysis: Analysis) -> dict[str, Any]:
    comparison = analysis.comparison
    scheme = comparison.schemes[0]
    best_of = comparison.best_first(scheme).dropna().iloc[:_SHOWN]
    places = {str(name): place for place, name in enumerate(comparison.means.index)}
    at: Array = np.asarray(best_of, dtype=np.float64)
    is_ranks = comparison.mean_ranks is not None
    ends = comparison.mean_intervals[scheme].loc[best_of.index]
    low, high = (ends[end].to_numpy(np.float64) for end in ("low", "high"))
    told = [
        f"{writing.fixed(float(x), 4)} {writing.interval(*ab)}"
        for x, *ab in zip(at, low, high, strict=True)
    ]
    bars: dict[str, list[int]] = {}
    if is_ranks:
        critical = comparison.critical_differences.get(scheme, 0)
        low, high = at, at + critical
        told = [writing.fixed(float(x), 4) for x in at]
        for place, name in enumerate(() if critical else best_of.index):
            letters = analysis.letters.get(str(name), "")
            for letter in letters.split() if " " in letters else letters:
                bars.setdefault(letter, []).append(place)
    if len(bars) > _MOST_GROUPS:
        bars = {}
    title = "Mean rank (1 is the best)" if is_ranks else _score(analysis, mean=True)
    if comparison.chosen.test.location is not None:
        title = f"{capitalized(comparison.chosen.test.center)}: {_score(analysis)}"
    return {
        "systems": [places[str(name)] for name in best_of.index],
        "at": _numbers(at),
        "low": _numbers(low),
        "high": _numbers(high),
        "told": told,
        "title": title,
        "ranks": is_ranks,
        "bars": [[letter, own] for letter, own in bars.items() if len(own) > 1],
    }


def _environment(*, autoescape: bool = True) -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: object) -> object:
        is_text = isinstance(value, str) and not isinstance(value, Markup)
        return printable(str(value)) if is_text else value

    return Environment(
        loader=PackageLoader("cdfscore.report.page"),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=shown,
    )


def parity_table(rows: pd.DataFrame) -> writing.Captioned:
    """Return one row per quantity: the largest differences, and whether they are allowed."""
    told = [
        {
            "quantity": row["quantity"],
            "count": f"{row['count']:,}",
            "largest difference": f"{row['max_abs']:.3g}",
            "relative": f"{row['max_rel']:.3g}",
            "in ulp": f"{row['max_ulp']:.4g}",
            "allowed ulp": f"{row['allowed_ulp']:.4g}",
            "agrees": f"NO, {row['differs']}" if row["differs"] else "yes",
            "reason for the tolerance": row["reason"],
        }
        for row in rows.to_dict("records")
    ]
    columns = writing.columns_of(told, ("quantity", "agrees", "reason for the tolerance"))
    return writing.Captioned("", "", columns).with_caption(
        f"Agreement with {'R' if 'r_version' in rows.attrs else 'statsmodels'}",
        f"Differences between cdfscore and {rows.attrs['judge']} in scores, means and tests",
        "An ulp (unit in the last place) is the distance to the next double-precision number",
    )


def cited(analysis: Analysis) -> list[str]:
    """Return the sources of the schemes, the tests, and all other methods of the page."""
    comparison = analysis.comparison
    found = [analysis.standardized.factors.fitted.scheme.source, comparison.chosen.test.source]
    if correction := CORRECTIONS[comparison.adjust].source:
        found.append(f"{correction}, {words.correction_label(comparison.adjust)}")
    if comparison.effect and (effect := effect_sizes.load(comparison.effect)).source:
        found.append(f"{effect.source}, {effect.label}")
    if analysis.letters:
        found.append(_LETTERS)
    if analysis.sensitivity is not None:
        schemes = analysis.sensitivity.comparison.schemes[1:]
        found += [*(parse_scheme(each).source for each in schemes), _TAU_B, _TAU_AP_B]
    if analysis.diagnosis is not None:
        found.append(_CRPS)
    return list(dict.fromkeys(found))


def bibtex(sources: list[str]) -> str:
    """Return the entries of the papers that these sources name.

    >>> bibtex(["Sakai (2016); Urbano, Lima and Hanjalic (2019), Eq. 3 and 6"]).count("@")
    2
    """
    return "\n".join(entries()[name] for name in entries() if name in papers(" ".join(sources)))


def methods(analysis: Analysis) -> list[str]:
    """Return the paragraphs of the methods section."""
    told = of_comparison(analysis.comparison, verified=analysis.parity.verified)
    used = analysis.standardized.used.values
    absent, every = int(np.isnan(used).sum()), used.size
    if absent:
        are = "is" if absent == 1 else "are"
        told += f" {absent:,} of {counted(every, 'score')} {are} missing."
    found = [told]
    if (changes := analysis.sensitivity) is not None:
        schemes = changes.comparison.schemes
        told = (
            "For the sensitivity to the scheme, the rankings and the same test of all pairs of "
            f"{changes.comparison.units[0]}s were compared between: "
            f"{', '.join(map(label, schemes))}."
        )
        left_out = (f"{writing.as_sentence(note)}." for note in changes.left_out)
        found.append(" ".join([told, *left_out]))
    if (fit := analysis.diagnosis) is not None:
        tested = ". The fit was not tested"
        if fit.draws is not None and fit.draws.resamples:
            tested = (
                f", and tested by parametric bootstrap ({counted(fit.draws.resamples, 'resample')} "
                f"per topic, seed {fit.draws.seed})"
            )
        found.append(
            f"The fit of {', '.join(map(label, fit.schemes))} to {analysis.diagnosed} was measured "
            f"by the leave-one-out continuous ranked probability score (CRPS){tested}."
        )
    return found


def cited_software(analysis: Analysis) -> list[str]:
    """Return the programs: cdfscore, its packages with their papers, and R if it was run."""
    found = [f"The cdfscore developers, cdfscore {__version__}"]
    found += [f"{paper}, {name} {version(name)}" for name, paper in PAPERS.items()]
    r = analysis.parity.r_version
    return [*found, *([f"R Core Team ({_year(r)}), {r}"] if r else [])]


def entries_of_software(analysis: Analysis) -> list[str]:
    """Return the entries of the programs that have no paper: cdfscore, and R if it was run."""
    text = (resources.files("cdfscore.report.page") / "software.bib").read_text(encoding="utf-8")
    own, of_r = map(Template, text.split("\n\n"))
    r, found = analysis.parity.r_version, [own.substitute(version=__version__) + "\n"]
    return [*found, of_r.substitute(year=_year(r), version=r)] if r else found


def _year(r_version: str) -> str:
    """Return the year of a version, "2022" of "R version 4.2.2 (2022-10-31)".

    >>> _year("R version 4.2.2 Patched (2022-11-10 r83330)")
    '2022'
    """
    found = re.search(r"\((\d{4})-", r_version)
    return found[1] if found else "n.d."


def page_data(analysis: Analysis) -> dict[str, Any]:
    """Return labels, scores, means and pairs; systems and topics are named by position."""
    found, comparison = analysis.standardized, analysis.comparison
    by = words.the_test(comparison.chosen.test.label)
    units = comparison.units
    estimated = f"Differences as {by} estimates them, not differences of means"
    if is_of_means(comparison):
        estimated = words.score_label(analysis.scheme, comparison.measure, mean=True)
    elif comparison.chosen.test.estimates == MEAN_RANKS:
        estimated = f"Mean ranks within {units[1]}s: 1 is the best, and a positive difference is a "
        estimated += "better rank"
    names = [str(name) for name in found.frame.columns]
    best_first = comparison.best_first(comparison.schemes[0]).index
    data = {
        "units": units,
        "systems": [printable(name) for name in names],
        "order": [names.index(str(name)) for name in best_first],
        "topics": [printable(topic) for topic in found.used.topics],
        "scores": list(map(_numbers, found.frame.to_numpy())),
        "score": _score(analysis),
        "means": _numbers(found.frame_of_means["mean"].to_numpy()),
        "mean": _score(analysis, mean=True),
        "pairs": {**_pairs(comparison), "estimated": estimated},
    }
    if not analysis.is_raw:
        data["raw"] = list(map(_numbers, found.used.values))
        data["rawMeans"] = _numbers(raw_means(analysis))
        data["rawMean"] = _score(analysis, raw=True, mean=True)
    if (fit := analysis.diagnosis) is not None:
        bins = fit.histogram[[*_BINS]].dropna(subset="proportion")
        rows = zip(*(_numbers(bins[name].to_numpy()) for name in _BINS), strict=True)
        histogram = [
            {"scheme": printable(label(scheme)), **dict(zip(_BINS, row, strict=True))}
            for scheme, row in zip(fit.histogram["scheme"][bins.index], rows, strict=True)
        ]
        data |= {"histogram": histogram} if histogram else {}
    return data


def _score(analysis: Analysis, *, raw: bool = False, mean: bool = False) -> str:
    raw = raw or analysis.is_raw
    label = words.score_label(
        "raw" if raw else analysis.scheme, analysis.comparison.measure, mean=mean
    )
    reversal = analysis.standardized.reversal if raw else ""
    return in_units(analysis.comparison.units, f"{label}, {reversal}") if reversal else label


def _pairs(comparison: Comparison) -> dict[str, Any]:
    table, family = comparison.table, comparison.family
    names = {**_PAIRS, "estimate": comparison.chosen.test.estimates}
    names["effect_size"] = words.effect_label(comparison.effect)
    decides = "p_value" if comparison.adjust == "none" else "p_adjusted"
    if decides == "p_value":  # adjusted p values are the same then
        names = {"p_value": "p", **names}
        del names["p_adjusted"]
    # What decides is there even if no pair has a number.
    shown = [name for name in names if name == decides or table[name].notna().any()]
    best = str(comparison.best_first(comparison.schemes[0]).index[0])
    # What is the same if A and B are exchanged, and what changes sign. Of others, such as a sum of
    # ranks, the number of B and A does not follow from that of A and B.
    same, turned = ["n", "parameter", "p_value", "p_adjusted"], ["effect_size"]
    if comparison.chosen.test.shows == "correlation":
        same += ["estimate", "statistic"]
    if is_difference(comparison):
        turned.append("estimate")
    if (table["statistic"] < 0).any():  # as t has, and no count or sum
        turned.append("statistic")

    def numbers(name: str) -> list[float | str | None]:
        return _numbers(table[name].to_numpy(dtype=float))

    reasons = {str(row): printable(reason) for row, reason in enumerate(table["reason"]) if reason}
    return {
        "first": family.first.tolist(),
        "second": family.second.tolist(),
        "names": shown,
        "headers": [names[name] for name in shown],
        "columns": [numbers(name) for name in shown],
        "ends": [
            [numbers(end) for end in _ENDS.get(name, ()) if table[end].notna().any()]
            for name in shown
        ],
        "decides": decides,
        # Decided here, because the numbers of the page have fewer digits.
        "differs": differs(comparison).astype(int).tolist(),
        "interval": intervals(comparison),
        "isDifference": is_difference(comparison),
        "same": same,
        "turned": turned,
        "reasons": reasons,
        # The chart first shows the differences from the baseline, or from the best of the findings.
        "centre": family.systems.index((*family.baselines, best)[0]),
    }


def _numbers(values: Array) -> list[float | str | None]:
    """Return numbers for JSON: null for NaN, "Infinity" for what is infinite."""
    numbers: list[float | str | None] = [
        float(text) for text in np.char.mod(f"%.{_DIGITS}g", values)
    ]
    for i in np.flatnonzero(~np.isfinite(values)):
        value = values[i]
        numbers[i] = None if np.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    return numbers


def claims(analysis: Analysis) -> list[list[str]]:
    """Return what the results show, under which conditions, and what they do not show."""
    found = analysis.comparison
    test, correction = found.chosen.test, CORRECTIONS[found.adjust]
    conditions = [f"the assumptions of {words.the_test(words.label_of_test(found.chosen))} hold"]
    if test.complete_null:
        conditions.append("no two of all the systems differ")
    facts = {
        "found": found,
        "test": test,
        "correction": correction,
        "conditions": [*conditions, *filter(None, [correction.condition])],
        "p": "p value" if found.adjust == "none" else "adjusted p value",
        "the_test": words.the_test(words.label_of_test(found.chosen)),
        "the_name": writing.as_sentence(words.the_test(test.label)),
        "alpha": written(found.alpha),
        "null_value": f"{found.chosen.settings.get('null_value', 0):g}",
        "pairs": counted(len(found.family), "pair"),
        "expected": f"{found.alpha * len(found.family):,.4g}",
        "several": len(found.table) > 1,
        "has_p": found.table["p_value"].notna().any(),
        "intervals": intervals(found),
        "is_difference": is_difference(found),
        "is_of_means": is_of_means(found),
        "is_raw": analysis.is_raw,
        "scheme": words.scheme_label(analysis.scheme),
        "sensitivity": analysis.sensitivity,
        "diagnosis": analysis.diagnosis,
    }
    return _told("claims.txt", facts)


def _told(template: str, facts: Mapping[str, object]) -> list[list[str]]:
    """Return the paragraphs of each part of a text, by a template whose lines end anywhere."""
    parts = _environment(autoescape=False).get_template(template).render(facts).split("----")
    return [[" ".join(each.split()) for each in part.split("\n\n")] for part in parts]


def findings(analysis: Analysis) -> list[str]:
    """Return the findings, the most important first."""
    comparison = analysis.comparison
    return [
        *(f"{writing.as_sentence(each)}." for each in analysis.parity.doubts),
        how_many(comparison, comparison.schemes[0]),
        *best(comparison, comparison.schemes[0]),
        *_of_baselines(comparison),
        *_edges(comparison),
    ]


def _of_baselines(comparison: Comparison) -> list[str]:
    sentences, table, found = [], comparison.table, differs(comparison)
    system, _ = comparison.units
    for baseline in comparison.family.baselines:
        is_first = (table["system_a"] == baseline).to_numpy()
        own = found & (is_first | (table["system_b"] == baseline).to_numpy())
        other = table["system_b"].where(is_first, table["system_a"])
        above = comparison.ahead * np.where(is_first, -1, 1)
        groups = {"ahead of": own & (above > 0), "behind": own & (above < 0)}
        groups["different from"] = own & ~np.logical_or(*groups.values())
        for way, each in groups.items():
            if number := int(each.sum()):
                are = f"{counted(number, system)} {'is' if number == 1 else 'are'}"
                names = first_names([*map(str, other[each])])
                sentences.append(f"{are} significantly {way} the baseline {baseline}: {names}.")
        if not own.any():
            sentences.append(f"No {system} differs significantly from the baseline {baseline}.")
    return sentences


def _edges(comparison: Comparison) -> list[str]:
    if not is_difference(comparison):
        return []
    what = comparison.chosen.test.estimates
    table = comparison.table
    size = np.where(table["reason"] == "", np.abs(table["estimate"].to_numpy(np.float64)), np.nan)
    places = np.argsort(size, kind="stable")[: np.count_nonzero(~np.isnan(size))]  # NaN last
    is_found = differs(comparison)[places]
    found, others = table.iloc[places[is_found]], table.iloc[places[~is_found]]
    sentences = []
    if len(found) == 1:
        sentences.append(f"The only significant {what}: {_pair(found.iloc[0], comparison)}.")
    elif len(found):
        sentences += [
            f"The largest significant {what}: {_pair(found.iloc[-1], comparison)}.",
            f"The smallest significant {what}: {_pair(found.iloc[0], comparison)}.",
        ]
    if len(others):
        told = _pair(others.iloc[-1], comparison)
        sentences.append(f"The largest {what} that is not significant: {told}.")
    if len(places) > 1:
        facts = {"found": comparison, "brackets": intervals(comparison)}
        sentences += _told("intervals.txt", facts)[0]
    return sentences


def _pair(row: pd.Series[Any], comparison: Comparison) -> str:
    names, estimate = (row["system_a"], row["system_b"]), row["estimate"]
    low, high = row["conf_low"], row["conf_high"]
    if estimate < 0:
        names, estimate, low, high = names[::-1], -estimate, -high, -low
    bounds = writing.interval(low, high)
    p = writing.shown_p(row["p_adjusted"], 0)
    p = p if p.startswith("<") else f"= {p}"
    corrected = "" if comparison.adjust == "none" else "adjusted "
    told = writing.fixed(estimate, 4) + (f" {bounds}" if bounds != writing.NO_NUMBER else "")
    return f"{names[0]} ahead of {names[1]} by {told}, {corrected}p {p}"


def label(scheme: str) -> str:
    """Return the name of a scheme as in papers, and "raw" for raw scores."""
    return scheme if scheme == "raw" else words.scheme_label(scheme)


def differs(comparison: Comparison) -> BoolArray:
    """Return for each pair whether it differs significantly, by all digits of its p value."""
    decided: BoolArray = (comparison.table["p_adjusted"] <= comparison.alpha).to_numpy()
    return decided


def is_difference(comparison: Comparison) -> bool:
    """Return whether pairs have an estimate that is a difference, which is 0 for equal systems."""
    named = comparison.chosen.test.estimates.startswith("difference")
    return named and bool(comparison.table["estimate"].notna().any())


def is_of_means(comparison: Comparison) -> bool:
    """Return whether the estimates are differences of means, not of ranks or of centers."""
    test = comparison.chosen.test
    of_ranks = test.estimates == MEAN_RANKS or test.effect.startswith("rank_")
    return is_difference(comparison) and not of_ranks and test.location is None


def intervals(comparison: Comparison) -> str:
    """Return the level and kind of the intervals of pairs; "" if there are none."""
    if not comparison.table["conf_low"].notna().any():
        return ""
    level = f"{100 * comparison.chosen.conf_level:.12g} %"
    if comparison.simultaneous:
        return f"{level} simultaneous confidence intervals, for all pairs together"
    return f"{level} confidence intervals, each for one pair"


def systems_table(analysis: Analysis) -> writing.Captioned:
    """Return one row per system, the best by what is tested first; ties have average ranks."""
    comparison, found = analysis.comparison, analysis.standardized
    centre, of_ranks = (
        comparison.best_first(comparison.schemes[0]),
        comparison.mean_ranks is not None,
    )
    means = found.frame_of_means.loc[centre.index]
    ends = mean_intervals(found, comparison.chosen.conf_level).loc[centre.index, ["low", "high"]]
    tested = [writing.fixed(float(each), 4) for each in centre]
    test, letters = comparison.chosen.test, analysis.letters
    by = "mean rank" if of_ranks else test.center
    columns = [
        writing.Column("rank", True, ranks_of(np.asarray(-centre if of_ranks else centre))),
        writing.Column("system", False, [str(name) for name in centre.index]),
    ]
    level = f"{100 * comparison.chosen.conf_level:.12g} %"
    told = [f"Systems, ordered by {by}", "Tied systems have the average of their ranks"]
    if of_ranks:
        told.append("Within a topic, the best score has rank 1")
    if by != "mean":
        columns.append(writing.Column(by, True, tested))
        of_mean_ranks = test.estimates == MEAN_RANKS or not of_ranks
        used = f"the {by}, not the mean" if of_mean_ranks else f"neither the {by} nor the mean"
        told.append(f"The tests{' and the letters' if letters else ''} use {used}")
    columns += [
        writing.Column("mean", True, [writing.fixed(each, 4) for each in means["mean"]]),
        writing.Column("interval", True, [writing.interval(*both) for both in ends.to_numpy()]),
    ]
    told.append(
        f"Each interval is the {level} t interval of one mean, over the topics of the system. It "
        "is not an interval of a difference"
    )
    if letters:
        columns.append(
            writing.Column("letters", False, [letters[str(name)] for name in centre.index])
        )
        told.append(
            "Systems that share a letter do not differ significantly at level "
            f"{written(comparison.alpha)}. This does not show that they are equal"
        )
        columns += [
            writing.Column(str(name), True, [f"{count:,}" for count in counts])
            for name, counts in comparison.outcomes().items()
        ]
        told.append("Pairs are won or lost if significant, and undecided if not shown to differ")
    if not analysis.is_raw:
        raw = dict(zip(found.frame.columns, raw_means(analysis), strict=True))
        own = np.array([raw[name] for name in centre.index])
        columns += [
            writing.Column("raw mean", True, [writing.fixed(each, 4) for each in own]),
            writing.Column("rank by raw", True, ranks_of(own)),
        ]
        told.append("Raw means are means over the same topics, before standardization")
    if reversal := found.reversal:
        which = "Means" if analysis.is_raw else "Raw means"
        told.append(f"{which} are of scores that were {reversal}, because lower is better")
    if means["topics"].nunique() > 1:
        columns.append(writing.Column("topics", True, [f"{count:,}" for count in means["topics"]]))
    return writing.Captioned("", "", columns).with_caption("Systems", *told)


def raw_means(analysis: Analysis) -> Array:
    """Return the mean of each system's scores before standardization, NaN without a score."""
    return mean(analysis.standardized.used.values.T)[:, 0]


def ranks_of(means: Array) -> list[str]:
    """Return the rank of each mean as text, 1 for the largest, averages for tied means."""
    there = np.flatnonzero(~np.isnan(means))
    found = [writing.NO_NUMBER] * len(means)
    if len(there):
        for i, rank in zip(there, ranking.ranks(means[there]), strict=True):
            found[i] = f"{rank:g}"
    return found
