"""Read the Cranfield collection: documents, queries and relevance judgments."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

GAIN_OF_CODE = {1: 4, 2: 3, 3: 2, 4: 1, 5: 0}
"""Cleverdon's codes run from 1 (complete answer) to 5 (no interest); gains run the other way."""

SOURCE_CODE = -1
"""Marks one document a topic, which we take to be the paper the question came from."""

FILES = ("cran.all.1400", "cran.qry", "cranqrel")


@dataclass(frozen=True)
class Document:
    """One abstract; `abstract` is the body without the title that it opens with."""

    number: int
    title: str
    abstract: str

    @property
    def full(self) -> str:
        """Title and abstract, the title counted once."""
        return f"{self.title} {self.abstract}".strip()


@dataclass(frozen=True)
class Judgments:
    """Gains by topic and document, and the source document of each topic."""

    gains: dict[int, dict[int, int]]
    sources: dict[int, int]
    codes: dict[int, dict[int, int]]

    def code_counts(self) -> Counter[int]:
        """How often each code of the file occurs."""
        return Counter(code for judged in self.codes.values() for code in judged.values())

    def with_relevant_sources(self) -> "Judgments":
        """The other reading of the file: source documents count as complete answers."""
        best = max(GAIN_OF_CODE.values())
        gains = {
            topic: self.gains.get(topic, {}) | {source: best}
            for topic, source in self.sources.items()
        }
        return replace(self, gains=self.gains | gains)


@dataclass(frozen=True)
class Collection:
    """Documents in number order, queries in topic order, and their judgments."""

    documents: list[Document]
    queries: list[str]
    judgments: Judgments


def read_collection(folder: Path) -> Collection:
    """Read the three files of the collection from `folder`."""
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise FileNotFoundError(
            f"The Cranfield collection is not in {folder} (missing: {', '.join(missing)}); "
            "pass --data or set CDFSCORE_DATA to the folder that contains cranfield/."
        )
    texts = [(folder / name).read_text(encoding="ascii") for name in FILES]
    documents = read_documents(texts[0])
    if [document.number for document in documents] != list(range(1, len(documents) + 1)):
        raise ValueError(f"The documents in {folder} are not numbered 1, 2, 3, ...")
    return Collection(documents, read_queries(texts[1]), read_judgments(texts[2]))


def read_documents(text: str) -> list[Document]:
    """Parse documents.

    Everything after a record's first `.W` is body: three documents carry stray marker lines
    there, whose following lines are running text. An empty document stays, with empty text.
    """
    return [_document(record) for record in _records(text)]


def read_queries(text: str) -> list[str]:
    """Parse queries in file order; topic t is the t-th query, whatever its `.I` number."""
    return [_squeeze(record.partition("\n.W\n")[2]) for record in _records(text)]


def read_judgments(text: str) -> Judgments:
    """Parse lines `topic document code` and turn codes into gains.

    The source document of a topic gets no gain; rankings leave it out (see `ranking.py`).
    """
    gains: dict[int, dict[int, int]] = {}
    sources: dict[int, int] = {}
    codes: dict[int, dict[int, int]] = {}
    for line in text.splitlines():
        topic, document, code = (int(field) for field in line.split())
        judged = codes.setdefault(topic, {})
        if document in judged:
            raise ValueError(f"topic {topic} judges document {document} twice")
        judged[document] = code
        if code != SOURCE_CODE:
            gains.setdefault(topic, {})[document] = gain(code)
        elif sources.setdefault(topic, document) != document:
            raise ValueError(f"topic {topic} has two source documents")
    return Judgments(gains, sources, codes)


def gain(code: int) -> int:
    """Gain of one of Cleverdon's codes; an unknown code is an error, not a zero."""
    if code not in GAIN_OF_CODE:
        raise ValueError(f"unknown relevance code {code}")
    return GAIN_OF_CODE[code]


def _records(text: str) -> list[str]:
    """Split a file at its `.I` lines; each record begins with its number."""
    return re.split(r"^\.I +", text, flags=re.MULTILINE)[1:]


def _document(record: str) -> Document:
    """Parse one record `number .T title .A author .B source .W body`."""
    head, _, body = record.partition("\n.W\n")
    number, _, rest = head.partition("\n.T\n")
    title = _squeeze(re.split(r"^\.[AB]$", rest, flags=re.MULTILINE)[0])
    running_text = _squeeze(re.sub(r"^\.[TABW]$", "", body, flags=re.MULTILINE))
    return Document(int(number), title, running_text.removeprefix(title).strip())


def _squeeze(text: str) -> str:
    """Put single spaces for runs of white space."""
    return " ".join(text.split())
