"""The recorded results: tables in CSV, in the folder of recorded results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from cdfscore.retrieval import Run
from validation.collections.cranfield.collection import Collection
from validation.collections.cranfield.index import Index
from validation.merging.assumptions import of_relevant, of_scores
from validation.merging.methods import METHODS, Asked
from validation.merging.scores import means, pairs, scored
from validation.merging.testbed import Setting, Testbed, bed_of, central, qrels, wholes

FOLDER = Path(__file__).parents[1] / "results"
TABLES = ("scores", "pairs", "beds", "assumptions", "fits", "seeds")
PARTITIONS_OF, SOURCES, SEED = ("chance", "topics"), (10, 30), 1
SETTINGS = tuple(Setting(kind, n, SEED) for kind in PARTITIONS_OF for n in SOURCES)
#: More partitions of each kind, for all ways to merge but those that take long, of whole lists.
SEEDS = (1, 2, 3, 4, 5)
LONG = ("CORI (cv)", "kernel")

Tables = dict[str, pd.DataFrame]


def computed(collection: Collection) -> Tables:
    """Run the experiment."""
    found: dict[str, list[pd.DataFrame]] = {name: [] for name in TABLES}
    indexes, one_index = wholes(collection), central(collection)
    for setting in SETTINGS:
        bed = bed_of(collection, indexes, setting)
        asked = Asked(bed, qrels(collection))
        every = scored(asked, one_index)
        for name, table in (
            ("scores", means(every)),
            ("pairs", pairs(every)),
            ("beds", pd.DataFrame([counts(bed)])),
            ("assumptions", of_relevant(asked)),
        ):
            found[name].append(_labelled(table, setting))
        if setting == SETTINGS[0]:
            found["fits"].append(_labelled(of_scores(bed), setting))
        for seed in SEEDS:
            other = Setting(setting.partition, setting.sources, seed)
            found["seeds"].append(_labelled(means_of(collection, indexes, one_index, other), other))
    return {name: pd.concat(own, ignore_index=True) for name, own in found.items()}


def means_of(
    collection: Collection, indexes: Mapping[str, Index], one_index: Run, setting: Setting
) -> pd.DataFrame:
    """Return the means of whole lists for one partition."""
    asked = Asked(bed_of(collection, indexes, setting), qrels(collection))
    names = [name for name in METHODS if name not in LONG]
    found = scored(asked, one_index, names, [None])
    table = pd.DataFrame({word: matrix.mean() for (_, word), matrix in found.matrices.items()})
    return table.rename_axis("method").reset_index()


def counts(bed: Testbed) -> Mapping[str, float]:
    """Return what the testbed is like."""
    sizes = pd.Series(bed.sizes)
    lists = sum(len(own) for own in bed.lists.values())
    return {
        "smallest": sizes.min(),
        "largest": sizes.max(),
        "lists": lists,
        "documents": sum(len(each) for own in bed.lists.values() for each in own.values()),
        "sampled": bed.samples.sampled.sum(),
    }


def write(tables: Tables) -> None:
    for name, table in tables.items():
        path = FOLDER / f"merging_{name}.csv"
        table.to_csv(path, index=False, float_format="%.6f", lineterminator="\n")


def read() -> Tables:
    return {name: pd.read_csv(FOLDER / f"merging_{name}.csv") for name in TABLES}


def _labelled(table: pd.DataFrame, setting: Setting) -> pd.DataFrame:
    return table.assign(**vars(setting))[[*vars(setting), *table.columns]]
