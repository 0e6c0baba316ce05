"""Form of score files: the options of all commands that read score matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cdfscore.cli.grouped import with_options_of

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.io.scores.layout import Layout

TopicColumnOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Header of the column of topics (of systems, if they are rows); detected if not "
        "given.",
    ),
]
NoTopicColumnOption = Annotated[
    bool, typer.Option("--no-topic-column", help="There is no column of topics.")
]
SystemsAsRowsOption = Annotated[
    bool, typer.Option("--systems-as-rows", help="Rows are systems and columns are topics.")
]
KeepTopicOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LABEL",
        help="This topic is none of the summaries that are refused, such as the row 'all' of "
        "trec_eval; may be given more than once.",
    ),
]
KeepSystemOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LABEL",
        help="This system is none of the summaries that are refused, such as a column 'avg'; may "
        "be given more than once.",
    ),
]


@dataclass(frozen=True)
class Form:
    """The form of the score files of a command, from its options."""

    topic_column: str | Literal[False] | None
    systems_as_rows: bool
    keep_topics: tuple[str, ...]
    keep_systems: tuple[str, ...]

    @classmethod
    def of(
        cls,
        topic_column: TopicColumnOption = None,
        no_topic_column: NoTopicColumnOption = False,
        systems_as_rows: SystemsAsRowsOption = False,
        keep_topic: KeepTopicOption = None,
        keep_system: KeepSystemOption = None,
    ) -> Form:
        """Return the form that the options describe."""
        if topic_column is not None and no_topic_column:
            raise typer.BadParameter("--topic-column and --no-topic-column exclude each other")
        return cls(
            False if no_topic_column else topic_column,
            systems_as_rows,
            tuple(keep_topic or ()),
            tuple(keep_system or ()),
        )

    def read(self, path: str) -> pd.DataFrame:
        """Read a score matrix."""
        return self.read_several([path])[0]

    def read_both(
        self, scores: str, reference: str | None
    ) -> tuple[pd.DataFrame, pd.DataFrame | None]:
        """Read a score matrix, and the reference scores if they are given."""
        frames = self.read_several([path for path in (scores, reference) if path is not None])
        return frames[0], None if reference is None else frames[1]

    def read_several(self, paths: Sequence[str]) -> list[pd.DataFrame]:
        """Read the score matrices of a command; a label to keep must be in one of them."""
        from cdfscore.io.scores.reading import read_several

        return read_several(
            paths,
            topic_column=self.topic_column,
            systems_as_rows=self.systems_as_rows,
            keep_topics=self.keep_topics,
            keep_systems=self.keep_systems,
        )

    def text_layout(self, path: str) -> Layout:
        """Return where the scores stand in a text file, for R."""
        from cdfscore.io.scores.layout import text_layout

        return text_layout(
            path, topic_column=self.topic_column, systems_as_rows=self.systems_as_rows
        )


def with_form(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command whose argument `form` is a `Form` one that has the options of a form."""
    return with_options_of(Form.of, "form", command)
