"""Arguments and options that several commands have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from cdfscore.standardization.policies import constant as constant_topics
from cdfscore.standardization.policies import missing as missing_scores
from cdfscore.standardization.policies import unfitted as unfitted_topics

if TYPE_CHECKING:
    from cdfscore.standardization.factors import ExtraTopics

_SCORES = (
    "Scores: topics x systems, or a row a score, as CSV, TSV or Parquet; output of trec_eval -q or "
    "ir_measures -q; JSON. - is standard input."
)
ScoresArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="SCORES",
        help=f"{_SCORES} Several files are matched by topic; NAME=FILE names the system of one.",
    ),
]
OneFileArgument = Annotated[str, typer.Argument(metavar="SCORES", help=_SCORES)]
ReferenceOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Scores of the reference systems; SCORES itself if not given."
    ),
]
ExtraTopicsOption = Annotated[
    str,
    typer.Option(
        metavar="POLICY",
        help="For topics of SCORES that the reference, or the factors, lack: refuse (an error) or "
        "drop.",
    ),
]
OutOption = Annotated[
    str,
    typer.Option(
        "-o",
        "--out",
        metavar="OUT",
        help="Standardized scores, as .csv, .tsv or .parquet; - is standard output.",
    ),
]
ConstantOption = Annotated[
    str,
    typer.Option(
        "--constant",
        "--degenerate",
        metavar="POLICY",
        help="For constant topics, whose reference scores are all equal: "
        f"{', '.join(constant_topics.POLICIES)}.",
    ),
]
MissingOption = Annotated[
    str,
    typer.Option(
        metavar="POLICY", help=f"For missing scores: {', '.join(missing_scores.POLICIES)}."
    ),
]
UnfittedOption = Annotated[
    str,
    typer.Option(
        metavar="POLICY",
        help="For unfitted topics, those that the scheme cannot be fitted to: "
        f"{', '.join(unfitted_topics.POLICIES)}.",
    ),
]

BaselineOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Compare each other system with this one only; may be given more than once.",
    ),
]
AlphaOption = Annotated[
    float,
    typer.Option(
        help="Significance level of letters, diagram and caption. If 'permutation' is given no B, "
        "this level and the correction choose it.",
    ),
]
AdjustOption = Annotated[
    str | None,
    typer.Option(
        metavar="METHOD",
        help="Correction for many tests, by its name in R's p.adjust; holm if not given, none "
        "for a test of the whole family such as tukey_hsd.",
    ),
]

EffectOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Effect size of pairs; the one that goes with the test if not given; '' for none.",
    ),
]

#: Of linear models.
LevelOption = Annotated[
    float,
    typer.Option(
        help="Significance level: p values up to it are marked in tables, and 1 minus it is the "
        "confidence of all intervals."
    ),
]
ComponentsOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="CSV or TSV file with a row for each system: a column system, and one for each "
        "factor.",
    ),
]
SchemesOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SCHEME",
        help="Standardize by this scheme first; raw if not given; may be given more than once.",
    ),
]
MeansOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TERM",
        help="Compare the marginal means of this term, such as stemmer or stemmer:model, in "
        "the file of --contrasts; may be given more than once.",
    ),
]
MeansAdjustOption = Annotated[
    str,
    typer.Option(
        metavar="METHOD", help="Correction of these comparisons: tukey, or one of R's p.adjust."
    ),
]
ContrastsOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Write the comparisons of --means with all digits, as .csv, .tsv.",
    ),
]


def extra_topics_of(policy: str, **fitted_to: str | None) -> ExtraTopics:
    """Return the policy for topics that the reference, or factors, lack, after checks.

    Files are given by the name of their option; one of them is needed for a policy to act.
    """
    from cdfscore.standardization.factors import check_extra

    check_extra(policy)
    if policy != "refuse" and not any(fitted_to.values()):
        options = " or ".join(f"--{name} FILE" for name in fitted_to)
        raise typer.BadParameter(f"--extra-topics {policy} needs {options}")
    return cast("ExtraTopics", policy)
