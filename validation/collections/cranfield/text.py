"""Turn text into index terms."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import Stemmer
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

Tokens = list[str]

STOP_WORDS: frozenset[str] = frozenset(ENGLISH_STOP_WORDS)


@dataclass(frozen=True)
class Analyzer:
    """A way from text to terms, with the words that describe it in the data card."""

    description: str
    terms: Callable[[str], Tokens]


def words(text: str) -> Tokens:
    """Lower-case runs of letters and digits."""
    return re.findall(r"[a-z0-9]+", text.lower())


def content_words(text: str) -> Tokens:
    """Words that are not stop words."""
    return [word for word in words(text) if word not in STOP_WORDS]


def stems(tokens: Tokens, algorithm: str) -> Tokens:
    """Stem with a Snowball algorithm: `english` (Porter 2) or `porter` (the original)."""
    stemmed: Tokens = Stemmer.Stemmer(algorithm).stemWords(tokens)
    return stemmed


def with_bigrams(tokens: Tokens) -> Tokens:
    """Terms followed by all pairs of neighbours."""
    return tokens + [f"{left}_{right}" for left, right in pairwise(tokens)]


def character_ngrams(tokens: Tokens, size: int) -> Tokens:
    """Character n-grams inside each word, one blank added at both ends."""
    padded = [f" {token} " for token in tokens]
    return [word[i : i + size] for word in padded for i in range(max(1, len(word) - size + 1))]


ANALYZERS = {
    "stem": Analyzer("stop words removed, Porter 2", lambda t: stems(content_words(t), "english")),
    "porter": Analyzer("stop words removed, Porter", lambda t: stems(content_words(t), "porter")),
    "stem_keepstop": Analyzer("stop words kept, Porter 2", lambda t: stems(words(t), "english")),
    "nostem": Analyzer("stop words removed, no stemming", content_words),
    "nostem_keepstop": Analyzer("stop words kept, no stemming", words),
    "truncate5": Analyzer(
        "stop words removed, words cut to 5 characters",
        lambda t: [word[:5] for word in content_words(t)],
    ),
    "bigrams": Analyzer(
        "stop words removed, Porter 2, single terms and pairs of neighbours",
        lambda t: with_bigrams(stems(content_words(t), "english")),
    ),
    "char3": Analyzer(
        "stop words kept, character 3-grams", lambda t: character_ngrams(words(t), 3)
    ),
    "char5": Analyzer(
        "stop words kept, character 5-grams", lambda t: character_ngrams(words(t), 5)
    ),
}
