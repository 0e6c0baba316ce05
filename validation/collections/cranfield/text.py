"""Turn text into index terms."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, product

import Stemmer as snowball
from bm25s.stopwords import STOPWORDS_EN
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

Tokens = list[str]

STOP_WORDS: frozenset[str] = frozenset(ENGLISH_STOP_WORDS)
FEW_STOP_WORDS: frozenset[str] = frozenset(STOPWORDS_EN)


@dataclass(frozen=True)
class Analyzer:
    """A way from text to terms, with the words that describe it in the data card."""

    description: str
    terms: Callable[[str], Tokens]


@dataclass(frozen=True)
class Stemmer:
    """A level of the grid: from words to terms."""

    description: str
    terms: Callable[[Tokens], Tokens]


@dataclass(frozen=True)
class StopList:
    """A level of the grid: words to leave out before stemming."""

    description: str
    words: frozenset[str]


def words(text: str) -> Tokens:
    """Lower-case runs of letters and digits."""
    return re.findall(r"[a-z0-9]+", text.lower())


def content_words(text: str) -> Tokens:
    """Words that are not stop words."""
    return [word for word in words(text) if word not in STOP_WORDS]


def stems(tokens: Tokens, algorithm: str) -> Tokens:
    """Stem with a Snowball algorithm: `english` (Porter 2) or `porter` (the original)."""
    stemmed: Tokens = snowball.Stemmer(algorithm).stemWords(tokens)
    return stemmed


def s_stem(word: str) -> str:
    """Cut a plural ending (Harman 1991): -ies to -y, -es to -e, -s to nothing.

    The first of the three that ends the word decides, so that -eies, -aies, -aes, -ees, -oes, -us
    and -ss stay, as in Lucene's EnglishMinimalStemFilter; so do words of 2 letters.
    """
    if not word.endswith("s") or len(word) <= 2 or word.endswith(("us", "ss")):
        return word
    if word.endswith("ies") and len(word) > 3:
        return word if word.endswith(("eies", "aies")) else f"{word[:-3]}y"
    return word if word.endswith(("ies", "aes", "ees", "oes")) else word[:-1]


def with_bigrams(tokens: Tokens) -> Tokens:
    """Terms followed by all pairs of neighbours."""
    return tokens + [f"{left}_{right}" for left, right in pairwise(tokens)]


def character_ngrams(tokens: Tokens, size: int) -> Tokens:
    """Character n-grams inside each word, one blank added at both ends."""
    padded = [f" {token} " for token in tokens]
    return [word[i : i + size] for word in padded for i in range(max(1, len(word) - size + 1))]


STEMMERS = {
    "none": Stemmer("words as they are", list),
    "s": Stemmer(
        "plural endings cut, -ies to -y, -es to -e and -s to nothing, with Harman's exceptions "
        "(D. Harman, *How effective is suffixing?*, JASIS 42(1), 1991)",
        lambda tokens: [s_stem(token) for token in tokens],
    ),
    "porter": Stemmer(
        "Porter (M. F. Porter, *An algorithm for suffix stripping*, Program 14(3), 1980); "
        "Snowball's `porter` in PyStemmer (MIT and BSD licences)",
        lambda tokens: stems(tokens, "porter"),
    ),
}
"""Stemmers of the grid."""

STOP_LISTS = {
    "none": StopList("every word stays", frozenset()),
    "short": StopList(
        "Lucene's English list (Apache licence), as bm25s has it (MIT licence)", FEW_STOP_WORDS
    ),
    "long": StopList(
        "the list of the Glasgow Information Retrieval Group, as scikit-learn has it (BSD licence)",
        STOP_WORDS,
    ),
}
"""Stop lists of the grid."""


def stemmed_without(stop_list: StopList, stemmer: Stemmer, text: str) -> Tokens:
    """Terms of a text: its words without those of the list, stemmed."""
    return stemmer.terms([word for word in words(text) if word not in stop_list.words])


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
} | {
    f"{stemmer}_{stop_list}": Analyzer(
        f"stemmer {stemmer}, stop list {stop_list}",
        partial(stemmed_without, STOP_LISTS[stop_list], STEMMERS[stemmer]),
    )
    for stemmer, stop_list in product(STEMMERS, STOP_LISTS)
}
