"""``make validate``: every scheme beside R and beside mpmath, on 100,000 random inputs each.

``python -m validation.campaign --page`` rewrites docs/parity.md from the recorded results.
``python -m validation.campaign --case normal 1234`` prints a trial for R and for Python.
"""

from __future__ import annotations

import argparse
import sys

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from cdfscore.r.session import RSession
from cdfscore.stats.schemes.base import parse_scheme
from validation.campaign import page, results
from validation.campaign.inputs import trial
from validation.campaign.run import INPUTS, SEED, campaign
from validation.campaign.spelled import in_python, in_r
from validation.parity.variants import variants


def main() -> None:
    options = parsed()
    if options.case:
        print_case(options.case[0], int(options.case[1]), options.seed)
        return
    if not options.page:
        run(options)
    page.write()


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m validation.campaign", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20, help="in all (default 20)")
    parser.add_argument("--inputs", type=int, default=INPUTS, help="a scheme (default 100000)")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--schemes", nargs="+", help="only these spellings")
    parser.add_argument("--page", action="store_true", help="only write docs/parity.md")
    parser.add_argument("--case", nargs=2, metavar=("SCHEME", "TRIAL"), help="print a trial")
    return parser.parse_args()


def run(options: argparse.Namespace) -> None:
    """Run, record the results, and exit with 1 where an input failed."""
    spellings, r = options.schemes or variants(), RSession()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as progress:
        tasks = {
            str(parse_scheme(spelling)): progress.add_task(spelling, total=options.inputs)
            for spelling in spellings
        }
        tallies = campaign(
            spellings,
            r,
            seed=options.seed,
            inputs=options.inputs,
            minutes=options.minutes,
            done=lambda scheme, n: progress.update(tasks[scheme], completed=n),
        )
    setting = {
        "seed": options.seed,
        "inputs asked for": options.inputs,
        "versions": results.versions(r),
    }
    for spelling, tally in zip(spellings, tallies, strict=True):
        results.write(tally.data() | setting | {"spelling": spelling})
    failed = [f"{t.scheme}: {t.counts['failed']} inputs" for t in tallies if t.counts["failed"]]
    if failed:
        page.write()
        sys.exit("failed: " + "; ".join(failed))


def print_case(spelling: str, number: int, seed: int) -> None:
    """Print the sample and the scores of a trial, to be typed into R and into Python."""
    scheme = parse_scheme(spelling)
    one = trial(seed, scheme, number)
    x, sample = one.x.tolist(), one.sample.tolist()
    sys.stdout.write(f"{in_r(scheme, x, sample)}\n\n{in_python(scheme, x, sample)}\n")


if __name__ == "__main__":
    main()
