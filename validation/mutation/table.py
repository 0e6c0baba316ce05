"""The tables of docs/mutants.md, from the results and from what was found of the survivors.

survivors.tsv has a line for each mutant that was looked at: its key, "equivalent" or "left", and
the reason. The other survivors are "unread".
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from statsmodels.stats.proportion import proportion_confint

#: The heading of the list of survivors, by what was found of them.
_TITLES = {
    "equivalent": "Equivalent mutants",
    "left": "Not killed, and not equivalent",
    "unread": "Not read",
}
_FINDINGS = Path(__file__).with_name("survivors.tsv")


def table(results: Mapping[str, Mapping[str, Any]], packages: Sequence[str]) -> str:
    """Return the figures of each package and of compiled code, and a list of survivors."""
    with _FINDINGS.open(encoding="utf-8", newline="") as file:
        found = {row[0]: (row[1], row[2]) for row in csv.reader(file, delimiter="\t")}
    rows = [(r, found.get(r["key"], ("unread", ""))) for r in results.values()]
    head = [
        "package",
        "tried",
        "killed",
        "of them by time limit",
        "equivalent",
        "not killed",
        "not read",
        "killed of the others",
    ]
    out = ["| " + " | ".join(head) + " |", "| --- |" + " --: |" * (len(head) - 1)]
    for name in (*packages, "compiled", "all"):
        own = [(r, f) for r, f in rows if name in (r["package"], "all")]
        survived = [f[0] for r, f in own if r["outcome"] == "survived"]
        late = sum(r["outcome"] == "timeout" for r, _ in own)
        equivalent = survived.count("equivalent")
        killed, others = len(own) - len(survived), len(own) - equivalent
        share = "-"
        if others:
            low, high = proportion_confint(killed, others, method="wilson")
            share = f"{killed / others:.1%} [{low:.1%}, {high:.1%}]"
        left, unread = survived.count("left"), survived.count("unread")
        cells = [name, len(own), killed, late, equivalent, left, unread, share]
        out.append("| " + " | ".join(map(str, cells)) + " |")
    for verdict in ("equivalent", "left", "unread"):
        out += ["", f"## {_TITLES[verdict]}", "", "| where | before | after | reason |"]
        out.append("| --- | --- | --- | --- |")
        for r, (said, reason) in sorted(rows, key=lambda row: (row[0]["path"], row[0]["line"])):
            if r["outcome"] == "survived" and said == verdict:
                where = f"{r['path'].removeprefix('src/cdfscore/')}, {r['function'] or 'at import'}"
                before, after = (f"`` {text} ``".replace("|", "\\|") for text in r["change"])
                out.append(f"| {where} | {before} | {after} | {reason} |")
    return "\n".join(out) + "\n"
