"""Factors that `apply` refuses, each with what the message must say about it."""

import json
from typing import Any

import pytest

from tests.cli.conftest import Sentence

SCORES = "topic,a,b,c\n301,0.1,0.2,0.3\n302,0.4,0.5,0.6\n"
UNLABELLED = "a,b\n0.1,0.2\n0.4,0.5\n"
TOPIC = {"n": 3, "mean": 0.2, "sd": 0.1}
FACTORS: dict[str, Any] = {
    "format": "cdfscore factors",
    "version": 3,
    "content_digest": None,
    "cdfscore": "0.1.0",
    "scheme": "normal",
    "settings": {},
    "constant": "limit",
    "missing": "raise",
    "fitted_missing": "raise",
    "unfitted": "raise",
    "unfitted_topics": {},
    "measure": "ap",
    "systems": ["a", "b", "c"],
    "digest": None,
    "scale": None,
    "positions": None,
    "dropped": [],
    "topics": {"301": TOPIC, "302": TOPIC},
}
TREC_EVAL = "301 map 0.1 0.2\n302 map 0.3 0.1\n301 P_10 0.1 0.2\n302 P_10 0.3 0.1\n"
MEANS = "topic,ap,p10\n301,0.1,0.2\n302,0.3,0.4\n"


def changed(**entries: Any) -> str:
    return json.dumps({**FACTORS, **entries})


def without(name: str) -> str:
    return json.dumps({key: value for key, value in FACTORS.items() if key != name})


def row(name: str, content: str | bytes, *fragments: str, extra: str = "s.csv"):
    return pytest.param(content, extra.split(), fragments, id=name)


@pytest.mark.parametrize(
    ("content", "extra", "fragments"),
    [
        row("empty", "", "is empty"),
        row("JSON that is cut", changed()[:150], "line 1", "not JSON"),
        row("compressed", b"\x1f\x8b\x08\0", ": f.json is compressed by gzip: gunzip"),
        row("JSON without end", '{"a":' * 100_000, "damaged"),
        row("a list in JSON", '["301"]', "line 1", "'[\"301\"]'"),
        row("not UTF-8", '{"é": 1}'.encode("latin-1"), "UTF-8"),
        *[
            row(f"no {key}", without(key), repr(key))
            for key in ("scheme", "settings", "constant", "missing", "positions", "topics")
        ],
        row("too large", changed(topics={"301": {**TOPIC, "mean": 10**400}}), "f.json", "1000000"),
        row("another scheme", changed(), "factors of normal, not of z", extra="s.csv --scheme z"),
        row("another measure", changed(), "measure ap, not p10", extra="s.csv --measure p10"),
        row("scheme misspelt", changed(), "did you mean 'z'?", extra="s.csv --scheme zz"),
        row("scores without labels", changed(), "no topic labels", "'301'", extra="u.csv"),
        row("topic without factors", changed(), "n.csv: 1 of 2", "'999'", "'302'", extra="n.csv"),
        row("score missing", changed(), "m.csv", "topic '302'", "system 'a'", extra="m.csv"),
        row("scores with a word", changed(), "w.csv, line 3", "'x'", extra="w.csv"),
        row("several measures", TREC_EVAL, "map, P_10", "no measure was named"),
        row("misspelt measure", TREC_EVAL, "did you mean 'P_10'?", extra="s.csv --measure P_01"),
        row(
            "scheme of other parameters",
            TREC_EVAL,
            "do not determine empirical",
            "expected normal, uniform, z",
            extra="s.csv --measure map --scheme empirical",
        ),
        row("three fields", "301 map 0.1\n", "line 1", "'301 map 0.1'", "a measure, a mean"),
        row("five fields", "\n301 map 0.1 0.2 0.3\n", "line 2", "'301 map 0.1 0.2 0.3'"),
        row("mean a word", "301 map x 0.2\n", "line 1", "'301 map x 0.2'"),
        row("mean with an underscore", "301 map 1_0 0.2\n", "line 1", "'301 map 1_0 0.2'"),
        row("mean infinite", "301 map inf 0.2\n", "f.json"),
        row("deviation below 0", "301 map 0.1 -0.2\n", "topic '301'", "'map'", "-0.2", "negative"),
        row("line twice", "301 map 0 1\n301 map 0 1\n", "line 2", "topic '301' appears twice"),
        row("scores instead", SCORES, "line 1", "'topic,a,b,c'", "a measure, a mean"),
        row("factors of one topic", "301 map 0 1\n", "s.csv: 1 of 2", "'302'", "'301'"),
        row("several in two files", MEANS, "ap, p10", "no measure", extra="s.csv --sds m.sds"),
        row("other deviations", MEANS, "s.csv differ", "the same", extra="s.csv --sds s.csv"),
        row("no deviations", MEANS, "no.csv cannot be read", extra="s.csv --sds no.csv"),
    ],
)
def test_factors_are_refused(
    sentence: Sentence, content: str | bytes, extra: list[str], fragments: tuple[str, ...]
) -> None:
    files = {
        "f.json": content,
        "s.csv": SCORES,
        "u.csv": UNLABELLED,
        "n.csv": "topic,a\n302,1\n999,1\n",
        "m.csv": "topic,a\n301,1\n302,NA\n",
        "w.csv": "topic,a\n301,1\n302,x\n",
        "m.sds": MEANS,
    }
    message = sentence(files, ["apply", "f.json", *extra, "-o", "OUT.csv"])
    for fragment in fragments:
        assert fragment in message
    assert "f.json" in message or "csv" in message or "--scheme" in extra
