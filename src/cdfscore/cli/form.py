"""Form of score files: the options of all commands that read score matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cdfscore.cli.grouped import with_options_of
from cdfscore.cli.inputs import Inputs

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.io.scores.how import How
    from cdfscore.io.scores.layout import Layout

TopicColumnOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Header of the column of topics, or of systems if rows are systems. Default: it is "
        "detected.",
    ),
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
        )

    @property
    def typed(self) -> list[str]:
        """The options that are given, as they are typed."""
        named = {
            "--topic-column": [self.topic_column] if isinstance(self.topic_column, str) else [],
            "--keep-topic": self.keep_topics,
            "--keep-system": self.keep_systems,
            "--drop-topic": self.drop_topics,
            "--drop-system": self.drop_systems,
            "--measure": [] if self.measure is None else [self.measure],
        }
        flags = {
            "--no-topic-column": self.topic_column is False,
            "--systems-as-rows": self.systems_as_rows is True,
            "--topics-as-rows": self.systems_as_rows is False,
        }
        options = [word for name, own in named.items() for each in own for word in (name, each)]
        return [*options, *(flag for flag, given in flags.items() if given)]

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

    def text_layout(self, path: str, *, one_of_several: bool) -> Layout:
        """Return the layout of a text file for R; the file is read alone or with others."""
        from cdfscore.io.scores.layout import text_layout

        return text_layout(path, replace(self._how(), header_first=one_of_several))

    def _how(self) -> How:
        from cdfscore.io.scores.how import How, Labels

        return How(
            self.topic_column,
            self.systems_as_rows,
            self.measure,
            Labels.given("keep", self.keep_topics, self.keep_systems),
            Labels.given("drop", self.drop_topics, self.drop_systems),
        )


def with_form(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `Form` in place of its argument `form`."""
    return with_options_of(Form.of, "form", command)
