"""The readers that are fuzzed: what each does with some bytes, and the commands that call it."""

from __future__ import annotations

import gzip
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import typer

from cdfscore.cli.experiment import check_folder
from cdfscore.cli.verify import parsed_merging
from cdfscore.errors import CdfscoreError
from cdfscore.experiments.trials import CachedChunks
from cdfscore.models.formula import parse_formula, read_components
from cdfscore.models.goals import parse_goal
from cdfscore.models.replicates import read_replicates
from cdfscore.retrieval.measuring import parse_measures
from cdfscore.retrieval.merging.sources import (
    read_queries,
    read_samples,
    read_selection,
    read_statistics,
)
from cdfscore.retrieval.runs import read_qrels, read_run
from cdfscore.scores.reading import read_scores
from cdfscore.standardization.formats import load_factors, read_webber_moffat
from cdfscore.standardization.policies import MissingPolicy
from cdfscore.standardization.standardizer import Standardizer
from cdfscore.standardization.streaming import standardize_parquet
from cdfscore.stats.schemes.base import parse_scheme
from cdfscore.stats.significance.contract import parse_test

#: Files beside the fuzzed one, for commands.
BESIDE = {
    "s.csv": "topic,a,b\n301,0.1,0.2\n302,0.3,0.5\n303,0.25,0.75\n",
    "a.run": "301 Q0 d1 1 2.5 a\n301 Q0 d2 2 1.5 a\n302 Q0 d1 1 9 a\n",
    "b.run": "301 Q0 d7 1 0.5 b\n301 Q0 d9 2 0.25 b\n302 Q0 d3 1 0.75 b\n",
    "sampled.run": "".join(
        f"301 Q0 d{document} {rank} {10 - rank} s\n"
        for rank, document in enumerate((1, 7, 2, 9, 4, 3), 1)
    ),
    "q.txt": "301 0 d1 1\n301 0 d7 0\n302 0 d3 2\n",
    "c.csv": "system,a,b\na,x,y\nb,y,y\n",
    "moments.csv": "topic,ap\n301,0.1\n302,0.3\n",
    "sizes.csv": "source,size\na,100\nb,200\n",
    "queries.csv": "topic,text\n301,shock waves\n302,drag\n",
    "statistics.csv": "source,term,df,words\na,shock,3,100\nb,drag,2,50\n",
}


# The base of Typer's errors of usage.
_USAGE: type[Exception] = typer.BadParameter.__bases__[0]


@dataclass(frozen=True)
class Reader:
    """A reader of files with one ending; each way of reading is tried on the same bytes.

    In a command, FILE is the file, and WORDS are its content.
    """

    ending: str
    ways: tuple[Callable[[Path], object], ...]
    commands: tuple[str, ...]

    def accepts(self, path: Path) -> bool:
        """Tell if a way reads the file; where it does not, only `CdfscoreError` may be raised."""
        return sum(self._accepts(way, path) for way in self.ways) > 0

    def _accepts(self, way: Callable[[Path], object], path: Path) -> bool:
        try:
            way(path)
        except CdfscoreError:
            return False
        return True


def _words(parse: Callable[[str], object], path: Path) -> None:
    """Parse the bytes of a file as a word of the command line, as Python decodes it."""
    parse(path.read_bytes().decode(errors="surrogateescape"))


def _samples(path: Path) -> None:
    read_samples(path, path.with_name("sizes.csv"))


def _archive(path: Path) -> None:
    """Read a tar file as if it had been compressed: hardly a changed tar.gz can be decompressed."""
    packed = path.with_name("packed.tar.gz")
    packed.write_bytes(gzip.compress(path.read_bytes(), compresslevel=1))
    read_webber_moffat(packed)


def _chunk(path: Path) -> None:
    """Read a cached chunk of trials."""
    store = CachedChunks(path.parent, "digest", "code")
    store.folder.mkdir(exist_ok=True)
    (store.folder / "trials-0-1.npz").write_bytes(path.read_bytes())
    store.read(range(1))


def _record(path: Path) -> None:
    """Read what a folder says of the experiment in it."""
    path.with_name("experiment.json").write_bytes(path.read_bytes())
    check_folder(path.parent, "Within")


def _stream(path: Path, *, form: bool | None = None, missing: MissingPolicy = "omit") -> None:
    """Standardize a file in blocks of a few scores, in a folder that holds its rows meanwhile."""
    standardize_parquet(
        path,
        path.with_name("streamed.parquet"),
        Standardizer("normal", missing=missing, unfitted="nan"),
        block=4,
        systems_as_rows=form,
    )


def _formula(text: str) -> object:
    return parse_formula(text, ["a", "b"])


def _both_moments(path: Path) -> object:
    """Read a file as means, and a copy as standard deviations."""
    copy = path.with_name("sds.csv")
    copy.write_bytes(path.read_bytes())
    return read_webber_moffat(path, copy)


def _merge_options(text: str) -> object:
    try:
        return parsed_merging(text)
    except _USAGE as error:  # which the command line tells as it does its own
        raise CdfscoreError(str(error)) from error


_STANDARDIZE = "standardize FILE --scheme normal"
_SCORES = (
    read_scores,
    partial(read_scores, systems_as_rows=True),
    partial(read_scores, topic_column=False),
    partial(read_scores, measure="map"),
)
_MERGE = "merge a.run b.run"

_SAFE = f"{_MERGE} --method safe --unfitted drop_list --sample-run sampled.run"

#: By their names.
READERS = {
    "scores": Reader(".csv", _SCORES, (_STANDARDIZE, f"{_STANDARDIZE} --missing omit")),
    "results": Reader(".eval", _SCORES, (f"{_STANDARDIZE} --measure map",)),
    "json": Reader(".json", _SCORES, (_STANDARDIZE, f"{_STANDARDIZE} --measure map")),
    "parquet": Reader(".parquet", _SCORES[:2], (_STANDARDIZE,)),
    "stream": Reader(
        ".parquet",
        (_stream, partial(_stream, form=False), partial(_stream, missing="zero")),
        ("standardize FILE --scheme normal --stream -o streamed.parquet",),
    ),
    "runs": Reader(
        ".run",
        (read_run, partial(read_run, system="a")),
        ("measure FILE --qrels q.txt --measure AP", "merge FILE b.run"),
    ),
    "qrels": Reader(".txt", (read_qrels,), ("measure a.run --qrels FILE --measure AP",)),
    "factors": Reader(
        ".json",
        (load_factors, partial(load_factors, measure="map")),
        ("apply FILE s.csv --extra-topics drop",),
    ),
    "factors_trec_eval": Reader(
        ".txt",
        (load_factors, partial(load_factors, measure="map")),
        ("apply FILE s.csv --extra-topics drop",),
    ),
    "factors_archive": Reader(
        ".tar.gz",
        (read_webber_moffat, partial(load_factors, measure="ap"), _archive),
        ("apply FILE s.csv --extra-topics drop",),
    ),
    "factors_csv": Reader(
        ".csv",
        (_both_moments,),
        (
            "apply FILE s.csv --extra-topics drop --sds moments.csv",
            "apply moments.csv s.csv --extra-topics drop --sds FILE",
        ),
    ),
    "merging": Reader(
        ".csv",
        (read_selection, read_statistics, read_queries, _samples),
        (
            f"{_MERGE} --weights FILE",
            f"{_MERGE} --weights cori --statistics FILE --queries queries.csv",
            f"{_MERGE} --weights cori --statistics statistics.csv --queries FILE",
            f"{_SAFE} --samples FILE --sizes sizes.csv",
        ),
    ),
    "components": Reader(
        ".csv",
        (read_components,),
        ("model s.csv --formula 'score ~ topic + a' --components FILE",),
    ),
    "replicates": Reader(
        ".csv",
        (
            partial(read_replicates, replicate="shard"),
            partial(read_replicates, replicate=("shard", "system")),
        ),
        ("mixed-model FILE --formula 'score ~ system' --replicate shard",),
    ),
    "trials": Reader(".npz", (_chunk,), ()),
    "record": Reader(".json", (_record,), ()),
    "schemes": Reader(".txt", (partial(_words, parse_scheme),), ()),
    "tests": Reader(".txt", (partial(_words, parse_test),), ()),
    "goals": Reader(".txt", (partial(_words, parse_goal),), ()),
    "measures": Reader(
        ".txt", (partial(_words, parse_measures),), ("measure a.run --qrels q.txt --measure=WORDS",)
    ),
    "formulas": Reader(
        ".txt", (partial(_words, _formula),), ("model s.csv --formula=WORDS --components c.csv",)
    ),
    "merge_options": Reader(".txt", (partial(_words, _merge_options),), ()),
}

#: The reader of each command, and the command.
COMMANDS = [(name, command) for name, reader in READERS.items() for command in reader.commands]


def arguments(command: str, path: Path) -> list[str]:
    """Return the words of a command on a file."""
    given = {"FILE": str(path), "WORDS": path.read_bytes().decode(errors="surrogateescape")}
    return [
        re.sub("FILE|WORDS", lambda found: given[found[0]], word) for word in shlex.split(command)
    ]
