"""Form of score files: the options of all commands that read score matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cdfscore.cli.inputs import Inputs

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.io.scores.how import How
    from cdfscore.io.scores.reading import Layout
    from cdfscore.models.replicates import Replicates

TopicColumnOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Header of the column of topics, or of systems if rows are systems. Several with "
        "commas between them make one label. Default: it is detected.",
    ),
]
SystemColumnOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Header of the column of systems, such as framework. Several with commas between "
        "them make one label, such as model,config. With this or --score-column, columns of no "
        "use are left out.",
    ),
]
ScoreColumnOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Header of the column of scores, if SCORES has a row for each score."
    ),
]
ReplicateOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Column that tells several scores of a system on a topic apart, such as fold, seed or "
        "shard. SCORES has a row for each score. The score is the mean of them; a mixed model has "
        "them all. May be repeated.",
    ),
]
NaOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXTS",
        help="Texts of cells without a score, with commas between them, such as OOM,-,N/A.",
    ),
]
CellsOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FORM",
        help="Form of cells whose value is read: 'value±sd', 'value(x)', 'value*', '**value**', "
        "'value%' or '1,000.5'. What is beside the value is left out. May be repeated.",
    ),
]
SheetOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Sheet of a workbook (.xlsx). Default: the first."),
]
NoTopicColumnOption = Annotated[
    bool, typer.Option("--no-topic-column", help="The file has no column of topics.")
]
SystemsAsRowsOption = Annotated[
    bool | None,
    typer.Option(
        "--systems-as-rows/--topics-as-rows",
        help="Rows are systems and columns are topics, or the reverse. Needed only if the header "
        "of the first column does not show it: system, run, model, method, classifier and the like "
        "are systems; topic, query, task, data set and the like are topics. With several files, "
        "it applies to the files that do not show it. In JSON, it applies to the outer keys.",
    ),
]
MeasureOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Measure to read if SCORES has several, as in the output of trec_eval -q.",
    ),
]
DropTopicOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LABEL",
        help="Leave out this topic, or this column of a leaderboard. May be repeated.",
    ),
]
DropSystemOption = Annotated[
    list[str] | None,
    typer.Option(metavar="LABEL", help="Leave out this system. May be repeated."),
]
KeepTopicOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LABEL",
        help="Keep this topic, although it looks like a summary such as the row 'all' of "
        "trec_eval. Summaries are refused. May be repeated.",
    ),
]
KeepSystemOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LABEL",
        help="Keep this system, although it looks like a summary such as a column 'avg'. "
        "Summaries are refused. May be repeated.",
    ),
]


@dataclass(frozen=True)
class Form:
    """The form of the score files of a command, from its options."""

    topic_column: str | Literal[False] | None
    systems_as_rows: bool | None
    keep_topics: tuple[str, ...]
    keep_systems: tuple[str, ...]
    drop_topics: tuple[str, ...]
    drop_systems: tuple[str, ...]
    measure: str | None
    system_column: str | None
    score_column: str | None
    replicate: tuple[str, ...] | None
    na: tuple[str, ...]
    cells: tuple[str, ...]
    sheet: str | None

    @classmethod
    def of(
        cls,
        topic_column: TopicColumnOption = None,
        no_topic_column: NoTopicColumnOption = False,
        systems_as_rows: SystemsAsRowsOption = None,
        keep_topic: KeepTopicOption = None,
        keep_system: KeepSystemOption = None,
        drop_topic: DropTopicOption = None,
        drop_system: DropSystemOption = None,
        measure: MeasureOption = None,
        system_column: SystemColumnOption = None,
        score_column: ScoreColumnOption = None,
        replicate: ReplicateOption = None,
        na: NaOption = None,
        cells: CellsOption = None,
        sheet: SheetOption = None,
    ) -> Form:
        """Return the form that the options describe."""
        if topic_column is not None and no_topic_column:
            raise typer.BadParameter("--topic-column and --no-topic-column exclude each other")
        return cls(
            False if no_topic_column else topic_column,
            systems_as_rows,
            tuple(keep_topic or ()),
            tuple(keep_system or ()),
            tuple(drop_topic or ()),
            tuple(drop_system or ()),
            measure,
            system_column,
            score_column,
            tuple(replicate) if replicate else None,
            tuple(text for texts in na or () for text in texts.split(",")),
            tuple(cells or ()),
            sheet,
        )

    @property
    def typed(self) -> list[str]:
        """The options that are given, as they are typed."""
        named = {
            "--topic-column": [self.topic_column or None],
            "--keep-topic": self.keep_topics,
            "--keep-system": self.keep_systems,
            "--drop-topic": self.drop_topics,
            "--drop-system": self.drop_systems,
            "--measure": [self.measure],
            "--system-column": [self.system_column],
            "--score-column": [self.score_column],
            "--replicate": self.replicate or (),
            "--na": [",".join(self.na) or None],
            "--cells": self.cells,
            "--sheet": [self.sheet],
        }
        flags = {
            "--no-topic-column": self.topic_column is False,
            "--systems-as-rows": self.systems_as_rows is True,
            "--topics-as-rows": self.systems_as_rows is False,
        }
        given = [(name, each) for name, own in named.items() for each in own if each is not None]
        options = [word for pair in given for word in pair]
        return [*options, *(flag for flag, is_given in flags.items() if is_given)]

    def read(self, scores: Inputs, *, measure_is_used: bool = False) -> pd.DataFrame:
        """Read a score matrix; see `read_several`."""
        return self.read_several([scores], measure_is_used=measure_is_used)[0]

    def read_both(
        self, scores: Inputs, reference: str | None, *, measure_is_used: bool = False
    ) -> tuple[pd.DataFrame, pd.DataFrame | None]:
        """Read a score matrix, and the reference scores if they are given; see `read_several`."""
        matrix, fitted_on = self.read_all(scores, reference, measure_is_used=measure_is_used)
        assert matrix is not None
        return matrix, fitted_on

    def read_all(
        self, scores: Inputs, *others: str | None, measure_is_used: bool = False
    ) -> list[pd.DataFrame | None]:
        """Read a score matrix and the other files that are given; see `read_several`.

        Raises `ScoresError` for scores of different measures.
        """
        from cdfscore.io.scores.memory import measure_of, same_measure

        inputs = [scores, *(Inputs.one(path) for path in others if path is not None)]
        frames = self.read_several(inputs, measure_is_used=measure_is_used)
        if len(frames) > 1:
            same_measure(
                (measure_of(frame), own.name) for frame, own in zip(frames, inputs, strict=True)
            )
        rest = iter(frames[1:])
        return [frames[0], *(None if path is None else next(rest) for path in others)]

    def read_several(
        self, inputs: Sequence[Inputs], *, measure_is_used: bool = False
    ) -> list[pd.DataFrame]:
        """Read the score matrices of a command.

        A label to keep must be in at least one of them. A measure that no file names is refused,
        unless the command itself uses it (`measure_is_used`).
        """
        from cdfscore.io.scores.reading import read_several

        return read_several(
            [own.files for own in inputs], self._how(), measure_is_used=measure_is_used
        )

    def read_replicates(self, scores: Inputs, reference: str | None) -> Replicates:
        """Read the one file of scores whose replicates a mixed model has."""
        from cdfscore.models.replicates import read_replicates

        if reference is not None:
            raise typer.BadParameter(
                "--replicate and --reference exclude each other in a model; save the factors of "
                "the reference by standardize --save-factors, and give them by --factors"
            )
        if len(scores.files) > 1 or scores.files[0][0] is not None:
            raise typer.BadParameter(
                "--replicate needs one file of SCORES in a model, which names the systems"
            )
        if self.topic_column is False or self.systems_as_rows is not None:
            raise typer.BadParameter(
                "--replicate needs a file with a row for each score; expected no "
                "--no-topic-column, --systems-as-rows or --topics-as-rows"
            )
        given = {name: own for name, own in vars(self).items() if name != "systems_as_rows"}
        return read_replicates(scores.files[0][1], **given)

    def text_layout(self, path: str, *, one_of_several: bool) -> Layout:
        """Return the layout of a text file for R; the file is read alone or with others."""
        from cdfscore.io.scores.reading import text_layout

        return text_layout(path, replace(self._how(), header_first=one_of_several))

    def _how(self) -> How:
        from cdfscore.io.scores.how import How

        return How.given(**vars(self))
