"""``cdfscore correlate``: rank correlation of systems in two score matrices."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cdfscore.cli.given import Direction, FactorsFile, Form, Inputs, Policies, uses_measure
from cdfscore.cli.options import OUT, RequiredFile, Written
from cdfscore.cli.paths import write_outputs
from cdfscore.cli.terminal import say, show_table
from cdfscore.common.files import source_name
from cdfscore.scores.tables import DELIMITERS, encode_frame

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.standardization.standardizer import How


def correlate(
    a: RequiredFile,
    b: RequiredFile,
    *,
    scheme: str = "raw",
    fitted: FactorsFile,
    out: Annotated[str | None, Written((*DELIMITERS, ".json")), OUT] = None,
    policies: Policies,
    form: Form,
    direction: Direction,
) -> None:
    """Correlate the system means of two files of scores.

    Prints Kendall's tau, AP correlation, Pearson's correlation, RMSE and dRMSE.

    Examples:
    cdfscore correlate ap.csv ndcg.csv
    cdfscore correlate ap.csv ndcg.csv --scheme empirical
    cdfscore correlate 2019.csv 2020.csv --factors factors.json -o tau.json

    Parameters
    ----------
    a : A
        First file of scores, in the same formats as for the other commands. Use - for standard
        input.
    b : B
        Second file of scores, with the same systems and any topics.
    scheme : SCHEME
        Standardize each file by itself with this scheme first. 'cdfscore schemes' lists the
        schemes.
    out : OUT
        Write the results with all digits to this .csv, .tsv or .json file, and print no table. Use
        - for standard output.
    """
    from cdfscore.comparison.correlation import correlate as correlate_means

    extra = fitted.extra()
    # An error here does not concern the scores.
    how: How = fitted.load(form, policies) or policies.standardizer(scheme, direction)
    frames = form.read_several([Inputs.one(a), Inputs.one(b)], measure_is_used=uses_measure(how))
    names = source_name(a), source_name(b)
    found = correlate_means(*frames, scheme=how, extra_topics=extra, names=names)
    write_outputs((out, partial(_encode, found)))
    if out is None:
        _show(found)
    say(*dict.fromkeys(found.attrs["notes"]))


def _encode(found: pd.DataFrame, path: Path) -> bytes:
    ending = path.suffix.lower()
    if ending in DELIMITERS:
        return encode_frame(found, DELIMITERS[ending])
    rows = found.astype(object).where(found.notna(), None).to_dict("records")
    return (json.dumps(rows, indent=1, allow_nan=False) + "\n").encode()


def _show(found: pd.DataFrame) -> None:
    from cdfscore.report.writing import Captioned, Column, fixed

    columns = [
        Column("measure", False, list(found["measure"])),
        Column("value", True, [fixed(value, 6) for value in found["value"]]),
        Column("systems", True, list(map(str, found["systems"]))),
        Column("reason", False, list(found["reason"])),
    ]
    undefined = (found["reason"] != "").any()
    show_table(Captioned("", "", columns if undefined else columns[:-1]))
