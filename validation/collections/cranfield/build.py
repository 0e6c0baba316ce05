"""Build the bundled example data: two sets of four score matrices and their data card.

Run from the root of the repository:

    python -m validation.collections.cranfield.build --data DIR --out DIR
"""

import argparse
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from .card import data_card
from .card_tables import Results
from .collection import Collection, read_collection
from .grid import GRID, write_components
from .index import Indexer, Scores
from .measure import Evaluator, Matrix, write_matrix
from .ranking import runs_of_topics
from .systems import SYSTEMS, System

REPOSITORY = Path(__file__).resolve().parents[3]
OUT = REPOSITORY / "src" / "cdfscore" / "datasets"


def default_data() -> Path:
    """Folder of the collection: under CDFSCORE_DATA, or beside the repository."""
    shared = os.environ.get("CDFSCORE_DATA") or REPOSITORY.parent / "shared" / "data"
    return Path(shared) / "cranfield"


def compute(data: Path) -> Results:
    """Run every system over the collection in `data` and measure it."""
    collection = read_collection(data)
    indexer = Indexer.of(collection)
    scores = score_all(indexer)
    return Results(
        collection,
        sorted(collection.judgments.codes),
        scores,
        measured(collection, scores.values()),
        grid_matrices(collection, indexer, GRID),
    )


def grid_matrices(
    collection: Collection, indexer: Indexer, systems: Mapping[str, System]
) -> dict[str, Matrix]:
    """Matrix of each measure for the grid, or for some of its systems."""
    return measured(collection, (system.scores(indexer) for system in systems.values()))


def measured(collection: Collection, scores: Iterable[Scores]) -> dict[str, Matrix]:
    """Matrix of each measure; a system's scores are let go before the next is run."""
    numbers = [document.number for document in collection.documents]
    sources = collection.judgments.sources
    return Evaluator(collection.judgments).matrices(
        runs_of_topics(of_system, numbers, sources) for of_system in scores
    )


def score_all(indexer: Indexer) -> dict[str, Scores]:
    """Scores of every system, in the order of the table."""
    scores: dict[str, Scores] = {}
    for name, system in SYSTEMS.items():
        if isinstance(system, System):
            scores[name] = system.scores(indexer)
        else:
            scores[name] = system.combine([scores[member] for member in system.members])
    return scores


def write(results: Results, out: Path) -> None:
    """Write the matrices and the data card to `out`."""
    out.mkdir(parents=True, exist_ok=True)
    for name, matrix in results.matrices.items():
        write_matrix(out / f"cranfield_{name}.csv", results.topics, SYSTEMS, matrix)
    for name, matrix in results.grid.items():
        write_matrix(out / f"cranfield_grid_{name}.csv", results.topics, GRID, matrix)
    write_components(out / "cranfield_grid_components.csv")
    (out / "cranfield.md").write_text(data_card(results), encoding="utf-8", newline="\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Build the Cranfield example data.")
    parser.add_argument("--data", type=Path, default=default_data(), help="the collection")
    parser.add_argument("--out", type=Path, default=OUT, help="where the files go")
    options = parser.parse_args(arguments)
    try:
        results = compute(options.data)
    except FileNotFoundError as error:
        raise SystemExit(str(error)) from None
    write(results, options.out)
    for systems, matrices in ((SYSTEMS, results.matrices), (GRID, results.grid)):
        for name, mean in zip(systems, matrices["ap"].mean(axis=0), strict=True):
            print(f"{name:32} mean AP {mean:.4f}")


if __name__ == "__main__":
    main()
