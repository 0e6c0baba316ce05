"""A damaged file of factors is refused with the place of the damage, whatever it is."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from cdfscore import Standardizer, load_factors
from cdfscore.errors import FactorsError
from cdfscore.standardization.formats import encode_factors

SCORES = pd.DataFrame({"a": [0.1, 0.5], "b": [0.2, 0.5], "c": [0.4, 0.75]}, index=["351", "352"])


def refused(tmp_path, content: str | bytes, message: str) -> None:
    path = tmp_path / "factors.json"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(FactorsError, match=message) as caught:
        load_factors(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def document_of(scheme: str, **policies: str) -> dict[str, Any]:
    return json.loads(encode_factors(Standardizer(scheme, **policies).fit(SCORES)))


HEAD = {
    "no format": ("format", ..., r"not a file of factors; expected format 'cdfscore factors'"),
    "other format": ("format", "scores", r"not a file of factors"),
    "later version": ("version", 4, r"version 4 of .* reads version 3; expected a newer cdfscore$"),
    "version 2": ("version", 2, r"version 2 of .* reads version 3; expected this version"),
    "version true": ("version", True, r"version True of the format, .*; expected this version$"),
    "no policy": ("constant", ..., r"there is no 'constant'"),
    "no unfitted topics": ("unfitted_topics", ..., r"there is no 'unfitted_topics'"),
    "no version": ("version", ..., r"version None of the format"),
    "no scheme": ("scheme", ..., r"there is no 'scheme'"),
    "unknown scheme": (
        "scheme",
        "nromal",
        r"no scheme 'nromal' \(did you mean 'normal'.*if a package adds 'nromal', install it",
    ),
    "scheme no text": ("scheme", ["normal"], r"'scheme' is \['normal'\]; expected text"),
    "settings no object": ("settings", [], r"'settings' is \[\]; expected an object"),
    "unknown setting": ("settings", {"A": 0.15, "C": 1}, r"uniform has no setting 'C'"),
    "setting out of range": ("settings", {"A": -1.0}, r"uniform: A=-1.0 is not accepted"),
    "setting no number": ("settings", {"A": "wide"}, r"uniform: A=wide is not accepted"),
    "setting null": ("settings", {"A": None}, r"setting 'A' is None; expected a number or text"),
    "setting boolean": ("settings", {"A": True}, r"setting 'A' is True; expected a number or te"),
    "unknown policy": ("constant", "mean", r"constant: 'mean' is not accepted"),
    "policy of another scheme": ("constant", "trec_eval", r"is defined for z, not for uniform"),
    "policy no text": ("constant", ["nan"], r"'constant' is \['nan'\]; expected text"),
    "unknown missing": ("missing", "skip", r"missing: 'skip' is not accepted"),
    "missing null": ("missing", None, r"'missing' is None; expected text"),
    "no policy of the fit": ("fitted_missing", ..., r"there is no 'fitted_missing'"),
    "unknown policy of the fit": ("fitted_missing", "skip", r"missing: 'skip' is not accepted"),
    "measure no text": ("measure", 10, r"'measure' is 10; expected text or null"),
    "systems no list": ("systems", "abc", r"'systems' is 'abc'; expected a list of text or null"),
    "systems no text": ("systems", ["a", 2], r"'systems' is \['a', 2\]; expected a list of text"),
    "digest no text": ("digest", 5, r"'digest' is 5; expected text or null"),
    "positions no number": ("positions", "2", r"'positions' is '2'; expected a whole number or"),
    "positions boolean": ("positions", True, r"'positions' is True; expected a whole number"),
    "other positions": ("positions", 3, r"'positions' is 3, and there are 2 topics and 0 that"),
    "dropped no list": ("dropped", "353", r"'dropped' is '353'; expected a list of text"),
    "no dropped": ("dropped", ..., r"there is no 'dropped'"),
    "unknown unfitted": ("unfitted", "skip", r"unfitted: 'skip' is not accepted"),
    "unfitted null": ("unfitted", None, r"'unfitted' is None; expected text"),
    "unfitted no object": ("unfitted_topics", ["9"], r"topics' is \['9'\]; expected an object"),
    "unfitted no reason": ("unfitted_topics", {"9": 1}, r"'9' has the reason 1; expected text"),
    "unfitted and fitted": (
        "unfitted_topics",
        {"352": ""},
        r"topic '352' appears twice, in topics and in unf",
    ),
    "unfitted under raise": ("unfitted_topics", {"9": "too few"}, r"topic '9': too few"),
    "no topics": ("topics", ..., r"there is no 'topics'"),
    "empty topics": ("topics", {}, r"'topics' is empty; expected at least one topic"),
    "topics no object": ("topics", [1, 2], r"'topics' is \[1, 2\]; expected an object"),
    "topic no object": ("topics", {"7": [0.1]}, r"topic '7' is \[0.1\]; expected an object"),
}


@pytest.mark.clause("factors_json.4")
@pytest.mark.parametrize(("key", "value", "message"), HEAD.values(), ids=HEAD)
def test_damaged_head(tmp_path, key, value, message) -> None:
    document = document_of("uniform")
    if value is ...:
        del document[key]
    else:
        document[key] = value
    refused(tmp_path, json.dumps(document), message)


DIRECTION: dict[str, tuple[dict[str, Any], str]] = {
    "no number": ({"lower_is_better": True}, r"there is 'lower_is_better' alone; expected"),
    "no labels": ({"reflect_at": 1.0}, r"there is 'reflect_at' alone; expected"),
    "false": (
        {"lower_is_better": False, "reflect_at": 0.0},
        r"'lower_is_better' is False; expected a list of topics, or true",
    ),
    "empty": ({"lower_is_better": [], "reflect_at": 0.0}, r"'lower_is_better' is \[\]; expected"),
    "text": ({"lower_is_better": "351", "reflect_at": 0.0}, r"'lower_is_better' is '351'; expec"),
    "no text": ({"lower_is_better": [351], "reflect_at": 0.0}, r"is \[351\]; expected a list"),
    "other topic": (
        {"lower_is_better": ["353"], "reflect_at": 0.0},
        r"there is no topic '353', on which lower is given as better \(did you mean '35",
    ),
    "reflected at text": (
        {"lower_is_better": True, "reflect_at": "1"},
        r"'reflect_at' is '1'; expected a number",
    ),
}


@pytest.mark.parametrize(("entries", "message"), DIRECTION.values(), ids=DIRECTION)
def test_damaged_direction(tmp_path, entries, message) -> None:
    refused(tmp_path, json.dumps(document_of("uniform") | entries), message)


TOPIC = {
    "no parameter": ("normal", {"sd": ...}, r"topic '352' has sd None; expected a number"),
    "text": ("normal", {"mean": "0.5"}, r"topic '352' has mean '0.5'; expected a number"),
    "boolean": ("normal", {"mean": True}, r"topic '352' has mean True; expected a number"),
    "null": ("minmax", {"max": None}, r"topic '352' has max None; expected a number"),
    "empty sample": ("empirical", {"sample": []}, r"topic '352' has sample \[\]; expected a num"),
    "text in a sample": ("kernel", {"sample": [0.1, "x"]}, r"topic '352' has sample \[0.1, 'x'\]"),
    "nested sample": ("empirical", {"sample": [[0.1]]}, r"topic '352' has sample \[\[0.1\]\]"),
    "order of a sample": (
        "empirical",
        {"sample": [0.75, 0.5, 0.5]},
        r"topic '352' has sample \[0.75, 0.5, 0.5\] and n 3; expected n numbers, a sample and",
    ),
    "lost score": ("kernel", {"sample": [0.5, 0.75]}, r"topic '352' has sample .* and n 3; exp"),
    "list for a number": ("z", {"mean": [0.5, 0.6]}, r"has mean \[0.5, 0.6\]; expected a number"),
    "long list for a number": ("z", {"sd": [1, 2, 3]}, r"has sd \[1, 2, 3\]; expected a number"),
    "unknown parameter": (
        "z",
        {"df": 3},
        r"topic '352' has df, which z has not; expected mean, sd",
    ),
    "no count": ("normal", {"n": ...}, r"topic '352' has n None; expected a whole number above 0"),
    "count zero": ("normal", {"n": 0}, r"topic '352' has n 0; expected a whole number above 0"),
    "count negative": ("normal", {"n": -3}, r"topic '352' has n -3; expected"),
    "count no number": ("normal", {"n": "three"}, r"topic '352' has n 'three'; expected"),
    "count not whole": ("normal", {"n": 2.5}, r"topic '352' has n 2.5; expected"),
    "count boolean": ("normal", {"n": True}, r"topic '352' has n True; expected"),
    "count too large": ("normal", {"n": 10**30}, r"topic '352' has n 10+; expected"),
    "count of 64 bits": ("normal", {"n": 2**63}, r"topic '352' has n 9223372036854775808; expect"),
    "min above max": ("minmax", {"min": 0.9}, r"topic '352': min 0.9, max 0.75 are not parameters"),
    **{
        f"negative {name}, {scheme}": (
            scheme,
            {name: -1},
            rf"'352' has {name} -1; expected a number f",
        )
        for scheme, name in (
            *(("normal", "sd"), ("z", "sd"), ("exponential", "scale"), ("sum", "total")),
            *(("kernel", "bandwidth"), ("from_scipy", "scale"), ("centered", "spread")),
        )
    },
}


@pytest.mark.clause("factors.3")
@pytest.mark.parametrize(("scheme", "changes", "message"), TOPIC.values(), ids=TOPIC)
def test_damaged_topic(tmp_path, scheme, changes, message) -> None:
    document = document_of(scheme)
    entry = document["topics"]["352"]
    for key, value in changes.items():
        if value is ...:
            del entry[key]
        else:
            entry[key] = value
    refused(tmp_path, json.dumps(document), message)


def replaced(old: str, new: str) -> Callable[[str], str | bytes]:
    return lambda text: text.replace(old, new, 1)


TEXT = {
    "cut short": (lambda text: text[: text.index('"352"')], r"line 21: not JSON: "),
    "a lost comma": (replaced('"version": 3,', '"version": 3'), r"line 4: not JSON: Expecting ','"),
    "text after the end": (lambda text: text + "{}", r"line 24: not JSON: Extra data"),
    "a topic twice": (
        replaced('"352"', '"351"'),
        r"the key '351' is there twice in one dictionary",
    ),
    "an entry twice": (replaced('"missing"', '"scheme"'), r"the key 'scheme' is there twice"),
    "NaN": (replaced('"sd": ', '"sd": NaN, "old": '), r"NaN is not finite; expected a number"),
    "Infinity": (
        replaced('"sd": ', '"sd": -Infinity, "old": '),
        r"-Infinity is not finite; expected",
    ),
    "a number too large": (
        replaced('"sd": ', '"sd": 1e999, "old": '),
        r"topic '351' has sd inf; e",
    ),
    "too many digits": (
        replaced('"sd": ', f'"sd": {"9" * 400}, "old": '),
        r"topic '351' has sd 9+\.\.\.",
    ),
    "far too many digits": (
        replaced('"sd": ', f'"sd": {"9" * 5000}, "old": '),
        r"damaged: Exceeds",
    ),
    "nested too deep": (lambda _: '{"a": ' * 100_000, r"damaged: maximum recursion depth"),
    "bytes": (lambda text: text.encode().replace(b"351", b"\xff51"), r"it is not text in UTF-8"),
    "UTF-16": (lambda text: text.encode("utf-16"), r"is text in UTF-16: iconv"),
    "empty": (lambda _: "", r"is empty; expected lines of topic"),
    "a list": (lambda _: "[1, 2]", r"line 1: '\[1, 2\]' is not a topic, a measure, a mean"),
}


@pytest.mark.parametrize(("damage", "message"), TEXT.values(), ids=TEXT)
def test_damaged_text(tmp_path, damage, message) -> None:
    text = encode_factors(Standardizer("normal").fit(SCORES)).decode()
    refused(tmp_path, damage(text), message)


ONE_TOPIC = SCORES[:1]


@pytest.mark.clause("factors_json.3")
@pytest.mark.one_in(3)
@pytest.mark.parametrize("scheme", ["normal", "empirical", "kernel"])
def test_no_flipped_bit_is_read_as_data(tmp_path, scheme, long) -> None:
    """A bit of each byte: the file is refused, or says the same in another way, as E for e.

    With --long it is each bit of each byte.
    """
    content = encode_factors(Standardizer(scheme).fit(ONE_TOPIC, measure="ap"))
    path = tmp_path / "factors.json"
    refusals, tried = 0, 0
    for place, byte in enumerate(content):
        for bit in range(8) if long else [place % 8]:
            tried += 1
            path.write_bytes(content[:place] + bytes([byte ^ 1 << bit]) + content[place + 1 :])
            try:
                loaded = load_factors(path)
            except FactorsError:
                refusals += 1
                continue
            assert encode_factors(loaded) == content
    assert refusals > 7 / 8 * tried


EDITS = {
    "a digit": lambda d: d["topics"]["352"].update(sd=0.1443),
    "a count": lambda d: d["topics"]["352"].update(n=4),
    "a label": lambda d: d["topics"].update({"353": d["topics"].pop("352")}),
    "the order": lambda d: d["topics"].update({"351": d["topics"].pop("351")}),
    "the policy": lambda d: d.update(constant="half"),
    "the measure": lambda d: d.update(measure="P@10"),
    "an entry of others": lambda d: d.update(note="edited"),
    "the digest": lambda d: d.update(content_digest="sha256:0"),
    "no digest": lambda d: d.update(content_digest=7),
}


@pytest.mark.clause("factors_json.3")
@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edit_is_refused_unless_the_digest_is_null(tmp_path, edit) -> None:
    document = document_of("normal")
    edit(document)
    message = "content does not match 'content_digest'.* null as 'content_digest' if"
    refused(tmp_path, json.dumps(document), message)
    path = tmp_path / "factors.json"
    path.write_text(json.dumps(document | {"content_digest": None}))
    loaded = load_factors(path)
    assert loaded.without_digest
    labels = list(document["topics"])
    notes = loaded.standardize(SCORES.set_axis(sorted(labels))).notes
    assert sum("no digest of its content" in note for note in notes) == 1
    path.write_bytes(encode_factors(loaded))
    assert not load_factors(path).without_digest


@pytest.mark.clause("factors_json.3")
def test_the_digest_is_of_the_entries_as_json(tmp_path) -> None:
    """As documented, so that others can compute it: names and values, in order, without spaces."""
    document = document_of("normal")
    digest = document.pop("content_digest")
    text = json.dumps(document, separators=(",", ":"))
    assert digest == "sha256:" + hashlib.sha256(text.encode()).hexdigest()
