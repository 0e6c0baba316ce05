"""``cdfscore diagnose``: fit of distributions, and effect of the choice on conclusions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cdfscore import __version__
from cdfscore.cli.given import Direction, FactorsFile, Form, Inputs, Policies, diagnosed, raw_as
from cdfscore.cli.options import OUT, Figure, Written
from cdfscore.cli.paths import concerning, write_outputs
from cdfscore.cli.terminal import say, scheme_labels, show_table, show_text, shown_progress
from cdfscore.common import threads
from cdfscore.common.files import check_ending
from cdfscore.common.text import json_of, printable
from cdfscore.errors import ScoresError
from cdfscore.report.writing import plain, records
from cdfscore.scores.tables import DELIMITERS, encode_frame
from cdfscore.standardization.policies import MissingPolicy

if TYPE_CHECKING:
    from cdfscore.comparison.sensitivity import Sensitivity
    from cdfscore.diagnosis import Diagnosis
    from cdfscore.standardization.standardizer import How

#: Endings of files of a diagnosis.
ENDINGS = (*DELIMITERS, ".json")


def diagnose(
    given: Inputs,
    *,
    scheme: list[str] | None = None,
    fitted: FactorsFile,
    out: Annotated[str | None, Written(ENDINGS), OUT] = None,
    plot: Figure = None,
    test: str = "paired_t",
    alpha: float = 0.05,
    bootstrap: int = 999,
    most: int | None = None,
    seed: int = 1,
    resolution: float | None = None,
    missing: MissingPolicy = "raise",
    jobs: int | None = None,
    form: Form,
    direction: Direction,
) -> None:
    """Report which distributions fit the scores.

    The command tests the fit of each distribution. It ranks the distributions by the continuous
    ranked probability score (CRPS) of left-out scores, in the unit of the scores.

    With --factors, the distributions are those of the factors, which are not fitted again.

    It also compares conclusions: those under each distribution, under the raw scores, and under the
    other distributions. The comparison is over the topics to which all distributions can be fitted.
    Sentences explain the pairs that are gained or lost, and what to report.

    Examples:
    cdfscore diagnose ap.csv
    cdfscore diagnose ap.csv --scheme normal --scheme kernel --bootstrap 0
    cdfscore diagnose ap.csv --scheme beta --plot pit.svg -o fits.csv

    Parameters
    ----------
    scheme : SCHEME
        Distribution to examine. May be repeated. Default: normal, uniform, empirical (N-std, U-std,
        E-std) and kernel, a smooth version of E-std.
    out : OUT
        Write the results to this file and print no tables. A .csv or .tsv file has a row for each
        topic and distribution; a .json file has all results. Use - for standard output.
    plot : FILE
        Draw the probability integral transform of each distribution to this .svg, .pdf or .png
        file.
    test : TEST
        Test whose conclusions are compared. 'cdfscore tests' lists the tests.
    alpha : LEVEL
        Significance level of the tests of fit and of the conclusions.
    bootstrap : B
        Number of resamples for each topic in the tests of fit; more are drawn if p is small. 0: no
        tests of fit.
    most : B
        Largest number of resamples for each topic. Default: as many as p needs after Holm's
        correction. For 250 topics these are 10,000, which take 2 minutes for normal and 20 minutes
        for mixture.
    seed : N
        Seed of the resamples.
    resolution : D
        All scores are multiples of D, such as 0.1 for P@10. Default: D is detected.
    """
    from cdfscore.comparison.pairs import conclusive_test
    from cdfscore.comparison.sensitivity import sensitivity
    from cdfscore.diagnosis.criteria import width_of
    from cdfscore.diagnosis.diagnosis import USUAL, Settings, distributions
    from cdfscore.plots.canvas import encode_figure

    # Mistakes in these options are reported before a file is read.
    names = tuple(scheme) if scheme else USUAL
    distributions(names)
    extra = fitted.extra()
    Settings.of(alpha=alpha, bootstrap=bootstrap, most=most, seed=seed, jobs=jobs)
    if resolution is not None:
        width_of(resolution)
    chosen = conclusive_test(test)
    policies = Policies(missing=missing, unfitted="drop_topic")
    ways: list[How] = [policies.standardizer(each, direction) for each in ("raw", *names)]
    loaded = fitted.load(form, policies)
    if loaded is not None:
        distributions([loaded.fitted.scheme])
    matrix = form.read(given, measure_is_used=loaded is not None and loaded.measure is not None)
    if loaded is not None:
        ways = [raw_as(loaded, matrix), loaded]
    with concerning(given.name):
        changes, notes = None, []
        try:
            changes = sensitivity(matrix, ways, test=chosen, alpha=alpha, extra_topics=extra)
        except ScoresError as error:  # the diagnosis does not need them
            notes.append(f"conclusions are not compared: {error}")
        with shown_progress("nothing is written") as begin:
            found = diagnosed(
                matrix,
                ways[1:],
                names,
                extra,
                resolution=resolution,
                alpha=alpha,
                bootstrap=bootstrap,
                most=most,
                seed=seed,
                jobs=threads.cores() if jobs is None else jobs,
                progress=begin("topics"),
            )
    write_outputs(
        (out, lambda path: encode_diagnosis(found, changes, path)),
        (plot, lambda path: encode_figure(found.plot(), path)),
    )
    labels = scheme_labels(found.schemes)
    if out is None:
        _show(found, changes, labels)
    every = (*found.notes, *notes, *(changes.notes if changes else ()))
    say(*dict.fromkeys(every), labels=labels)


def _show(found: Diagnosis, changes: Sensitivity | None, labels: Mapping[str, str]) -> None:
    from cdfscore.report.comparison import agreement, moves
    from cdfscore.report.diagnosis import summary

    show_table(summary(found), labels)
    show_text(*(f"\n{printable(sentence)}" for sentence in found.verdict), labels=labels)
    if changes is None:
        return
    show_text("")
    show_table(agreement(changes), labels)
    show_text(*(f"\n{printable(sentence)}" for sentence in changes.verdict), "", labels=labels)
    show_table(moves(changes), labels)


def encode_diagnosis(diagnosis: Diagnosis, sensitivity: Sensitivity | None, path: Path) -> bytes:
    """Return a diagnosis as the content of a file, in the format of its ending.

    CSV and TSV have one row per topic and scheme, `Diagnosis.fits`; JSON has all results.
    Numbers have all digits; a missing number is NA, or null. Raises `OutputError` for another
    ending.
    """
    ending = check_ending(path, ENDINGS)
    if ending == ".json":
        return _json(diagnosis, sensitivity).encode()
    return encode_frame(diagnosis.fits, DELIMITERS[ending])


def _json(diagnosis: Diagnosis, sensitivity: Sensitivity | None) -> str:
    content = {
        "cdfscore": __version__,
        "topics": diagnosis.topics,
        "systems": diagnosis.systems,
        "schemes": diagnosis.schemes,
        "resolution": asdict(diagnosis.resolution),
        "draws": asdict(diagnosis.draws),
        "alpha": diagnosis.alpha,
        "missing": diagnosis.missing,
        "verdict": diagnosis.verdict,
        "notes": diagnosis.notes,
        "summary": records(diagnosis.summary),
        "fits": records(diagnosis.fits),
        "histogram": records(diagnosis.histogram),
        "sensitivity": None if sensitivity is None else _sensitivity(sensitivity),
    }
    return json_of(plain(content)) + "\n"


def _sensitivity(sensitivity: Sensitivity) -> dict[str, Any]:
    return {
        "test": sensitivity.comparison.test,
        "adjust": sensitivity.comparison.adjust,
        "alpha": sensitivity.comparison.alpha,
        "topics": sensitivity.comparison.topics,
        "verdict": sensitivity.verdict,
        "notes": sensitivity.notes,
        "agreement": records(sensitivity.agreement),
        "conclusions": records(sensitivity.conclusions),
        "moves": records(sensitivity.moves),
        "systems": records(sensitivity.systems),
    }
