"""The testbed: Cranfield in sources with their own engines, and what the broker knows of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cdfscore.retrieval import Run
from cdfscore.retrieval.merging import Samples, TermStatistics
from cdfscore.retrieval.merging.merging import as_read
from validation.collections.cranfield.collection import Collection
from validation.collections.cranfield.index import Index
from validation.collections.cranfield.text import STEMMERS, Tokens
from validation.merging.engines import ANALYZER, MODELS, Lists, broker, engine, index_of, searched
from validation.merging.partition import PARTITIONS
from validation.merging.sampling import sampled


@dataclass(frozen=True)
class Setting:
    """How the collection is divided: a kind of partition, a number of sources, and a seed."""

    partition: str
    sources: int
    seed: int


@dataclass(frozen=True)
class Testbed:
    """What there is to merge.

    Attributes
    ----------
    lists
        What each source has for each topic, by its name.
    sizes
        Documents of each source.
    samples, sample_run
        Sampled documents, and the broker's run on them.
    statistics, sample_statistics
        Terms of the sources, and of their samples, as CORI needs them.
    queries
        Terms of the queries, by topic.
    """

    lists: Mapping[str, Lists]
    sizes: Mapping[str, int]
    samples: Samples
    sample_run: Run
    statistics: TermStatistics
    sample_statistics: TermStatistics
    queries: Mapping[str, Tokens]

    @property
    def runs(self) -> list[Run]:
        return as_read(dict(self.lists))


def bed_of(collection: Collection, wholes: Mapping[str, Index], setting: Setting) -> Testbed:
    """Divide the collection, and ask each source; `wholes` are indexes of all its documents."""
    whole = wholes[ANALYZER]
    of_document = PARTITIONS[setting.partition](whole, setting.sources, setting.seed)
    lists: dict[str, Lists] = {}
    places: dict[str, list[int]] = {}
    samples: dict[str, list[int]] = {}
    for number in range(setting.sources):
        name, system = f"s{number + 1:02d}", engine(number)
        own = places[name] = np.flatnonzero(of_document == number).tolist()
        index = index_of(collection, own, system.analyzer)
        lists[name] = searched(collection, system, own, index)
        words = sorted(wholes[system.analyzer].vocabulary)
        rng = np.random.default_rng([setting.seed, number])
        samples[name] = [own[row] for row in sampled(system, index, words, rng)]
    tokens = whole.document_tokens
    return Testbed(
        lists,
        {name: len(own) for name, own in places.items()},
        _samples(collection, samples, places),
        _asked(collection, [each for own in samples.values() for each in own], "broker"),
        _statistics({name: [tokens[i] for i in own] for name, own in places.items()}),
        _statistics({name: [tokens[i] for i in own] for name, own in samples.items()}),
        {str(topic): query for topic, query in enumerate(whole.query_tokens, start=1)},
    )


def wholes(collection: Collection) -> dict[str, Index]:
    """Return an index of all documents for each way to terms that an engine has."""
    every = range(len(collection.documents))
    return {
        analyzer: index_of(collection, every, analyzer)
        for analyzer in {engine(number).analyzer for number in range(len(STEMMERS) * len(MODELS))}
    }


def central(collection: Collection) -> Run:
    """Return the run of one index of all documents."""
    return _asked(collection, range(len(collection.documents)), "central")


def qrels(collection: Collection) -> dict[str, dict[str, int]]:
    return {
        str(topic): {str(document): gain for document, gain in gains.items()}
        for topic, gains in collection.judgments.gains.items()
    }


def _asked(collection: Collection, places: Sequence[int], name: str) -> Run:
    system = broker()
    index = index_of(collection, places, system.analyzer)
    (run,) = as_read({name: searched(collection, system, places, index)})
    return run


def _samples(
    collection: Collection,
    sampled_places: Mapping[str, Iterable[int]],
    places: Mapping[str, Sequence[int]],
) -> Samples:
    return Samples.of(
        {
            name: [str(collection.documents[place].number) for place in own]
            for name, own in sampled_places.items()
        },
        {name: len(own) for name, own in places.items()},
    )


def _statistics(tokens: Mapping[str, Sequence[Tokens]]) -> TermStatistics:
    return TermStatistics.of(
        {name: Counter(term for own in each for term in set(own)) for name, each in tokens.items()},
        {name: sum(map(len, each)) for name, each in tokens.items()},
    )
