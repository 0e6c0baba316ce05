"""What ``trec_eval -q -m all_trec -Z FACTORS`` prints, with the z of cdfscore."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from pathlib import Path

import pandas as pd

from cdfscore import Factors

# What trec_eval takes as the z of a measure that the factors do not have.
MISSING = -1_000_000.0
# These add up over the topics; every other measure is averaged.
COUNTS = {"num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"}


@dataclass(frozen=True)
class Line:
    """A line of output: the value as it is printed."""

    measure: str
    topic: str
    value: str


def read_lines(path: Path) -> list[Line]:
    """Read a file that trec_eval put out."""
    return [Line(*line.split()) for line in path.read_text().splitlines()]


def z_values(
    lines: list[Line], scores: Mapping[str, Mapping[str, float]], factors: Mapping[str, Factors]
) -> list[str | float]:
    """Return the value under ``-Z`` for each line of the output without it.

    `scores` are by topic and measure. Text is what it was, since it has no z.
    """
    frames = {measure: _frame(scores, measure) for measure in factors}
    z = {measure: factors[measure].transform(frame) for measure, frame in frames.items()}
    means = {
        measure: factors[measure].standardize(frame).means["mean"].item()
        for measure, frame in frames.items()
    }
    values: list[str | float] = []
    for line in lines:
        if line.measure in ("relstring", "runid"):
            values.append(line.value)
        elif line.topic != "all":
            values.append(z[line.measure].loc[line.topic].item())
        elif line.measure == "num_q":
            values.append(float(len(scores)))  # the topics are counted, not standardized
        elif line.measure.startswith("gm_"):
            values.append(exp(MISSING))  # exp of the mean, and no topic has factors of it
        elif line.measure in COUNTS:
            values.append(z[line.measure].to_numpy().sum().item())
        else:
            values.append(means[line.measure])
    return values


def printed(line: Line, value: str | float) -> str:
    """Return the line as ``-Z`` prints it: a Z before the measure, and 4 decimals."""
    if isinstance(value, str):
        return f"{line.measure:<22}\t{line.topic}\t{value}"
    return f"Z{line.measure:<22}\t{line.topic}\t{value:6.4f}"


def _frame(scores: Mapping[str, Mapping[str, float]], measure: str) -> pd.DataFrame:
    column = {topic: by_measure[measure] for topic, by_measure in scores.items()}
    return pd.DataFrame({"STANDARD": column})
