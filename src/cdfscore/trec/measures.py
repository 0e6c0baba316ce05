"""Measures by name: those of ir_measures, and sums that it lacks.

ir_measures checks types only, and takes True for 1; the programs then fail, or measure something
else under the name.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from cdfscore.errors import MeasureError, MissingDependencyError, did_you_mean
from cdfscore.io.results.names import name_of_page
from cdfscore.numerics.numbers import shown
from cdfscore.trec.records import LARGEST
from cdfscore.trec.sums import LARGEST_CUTOFF, SUMS, RankedSum

if TYPE_CHECKING:
    import ir_measures

    Measure = ir_measures.Measure | RankedSum
    #: Measures as they are given: by name, or as an object such as `ir_measures.AP`.
    AnyMeasure = str | Measure
    AnyMeasures = AnyMeasure | Iterable[AnyMeasure]


class _Rule(NamedTuple):
    """Condition on a setting beside its type, and its words in a message."""

    holds: Callable[[Any], bool]
    expected: str


def _whole(least: int, most: int) -> _Rule:
    return _Rule(lambda value: least <= value <= most, f"a whole number from {least} to {most:,}")


_POSITIVE = _Rule(lambda value: 0 < value < math.inf, "a number above 0")
_PROPORTION = _Rule(lambda value: 0 <= value <= 1, "a number from 0.0 to 1.0")
_PERSISTENCE = _Rule(lambda value: 0 < value < 1, "a number between 0.0 and 1.0")
_RULES = {
    "cutoff": _whole(1, LARGEST_CUTOFF),
    "rel": _whole(1, LARGEST),
    "min_rel": _whole(0, LARGEST),
    "max_rel": _whole(1, LARGEST),
    "alpha": _PROPORTION,
    "p": _PERSISTENCE,
    "T": _POSITIVE,
    # trec_eval is given the recall with two decimals, and measures the rounded one.
    "recall": _Rule(
        lambda value: 0 <= value <= 1 and round(value, 2) == value,
        "a number from 0.0 to 1.0 with at most 2 decimals",
    ),
    # trec_eval is given the digits, and takes 1 where they have an exponent.
    "beta": _Rule(
        lambda value: repr(value).replace(".", "", 1).isdigit(),
        "a number such as 0.5 or 2.0, without an exponent",
    ),
    "gains": _Rule(
        lambda value: (
            all(map(_is_whole, [*value, *value.values()]))
            and all(0 <= gain <= LARGEST for gain in value.values())
        ),
        f"whole numbers by relevance, from 0 to {LARGEST:,}, such as {{1: 1, 2: 3}}",
    ),
}


def check_settings(text: str, supported: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Raise `MeasureError` for a setting of another type, or out of its range.

    `text` is the name of the measure as given, and `supported` has its settings in ir_measures.
    """
    for name, value in settings.items():
        info = supported[name]
        rule = _RULES.get(name)
        fits = info.validate(value) and isinstance(value, bool) == (info.dtype is bool)
        if not fits or (rule is not None and not rule.holds(value)):
            expected = _of_type(info) if rule is None else rule.expected
            raise MeasureError(f"measure {text!r}: {name} is {value!r}; expected {expected}")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _of_type(info: Any) -> str:
    """Return what a setting of a measure of ir_measures accepts."""
    if isinstance(info.choices, Sequence):
        return " or ".join(map(repr, info.choices))
    kinds = {int: "a whole number", float: "a number with a decimal point", bool: "True or False"}
    return kinds.get(info.dtype, getattr(info.dtype, "__name__", "another value"))


_EXPECTED = "expected a name such as AP, nDCG@20 or AP(rel=2)"

# The program of ir_measures for diversity.
_DIVERSITY = "pyndeval"


def parse_measures(given: AnyMeasures) -> dict[str, Measure]:
    """Return the measures that are given by name, or as objects, by their usual spelling.

    Raises `MeasureError` for other objects, for an unknown measure or setting, for one that
    nothing installed measures, and for one that is named twice; `MissingDependencyError` without
    ir_measures.

    Examples
    --------
    >>> list(parse_measures(["MAP", "nDCG @ 20", "RBP(p=0.95)"]))
    ['AP', 'nDCG@20', 'RBP(p=0.95)']
    """
    names = _names(given)
    if not names:
        raise MeasureError(f"no measure is given; {_EXPECTED}")
    found: dict[str, Measure] = {}
    spelled: dict[str, str] = {}
    for name in names:
        measure = parse_measure(name)
        if str(measure) in found:
            raise MeasureError(
                f"measure {name!r} is the same as {spelled[str(measure)]!r}; expected each once"
            )
        found[str(measure)] = measure
        spelled[str(measure)] = name
    return found


def parse_measure(given: AnyMeasure) -> Measure:
    """Return a measure of its name with settings, such as ``P(rel=2)@10``, or of an object."""
    irm = require_ir_measures()
    text = name_of_measure(given)
    name, settings, at = _parts(name_of_page(text))
    # nDCG without b is that of ir_measures.
    if name in SUMS and (name != "nDCG" or "b" in settings):
        names = [*SUMS[name].__dataclass_fields__]
        settings = _with_cutoff(text, settings, "cutoff", at)
        _refuse_unknown_settings(text, settings, names)
        return SUMS[name](**settings)
    known: Any = irm.measures.registry.get(name)
    if known is None:
        raise MeasureError(f"measure {text!r} is not known{_hint(irm, name, text)}; {_EXPECTED}")
    settings = _with_cutoff(text, settings, known.AT_PARAM, at)
    supported = known.SUPPORTED_PARAMS
    _refuse_unknown_settings(text, settings, [*supported])
    check_settings(text, supported, settings)
    for setting, info in supported.items():
        if info.required and setting not in {**known.params, **settings}:
            at_sign = f", as in {name}@10" if setting == known.AT_PARAM else ""
            raise MeasureError(f"measure {text!r} has no {setting}; expected one{at_sign}")
    if name == "NumQ":
        raise MeasureError(
            "NumQ is 1 for each topic, and no score; expected a measure with scores of topics"
        )
    measure: Measure = known(**settings)
    _refuse_unmeasured(irm, measure)
    return measure


def name_of_measure(given: object) -> str:
    """Return the full name of a measure; raises `MeasureError` for other objects.

    An object is read by its name, so that its settings are checked as those of a name.
    """
    if isinstance(given, str):
        return given
    if _is_object(given):
        return str(given)
    raise MeasureError(
        f"measure {shown(given)} is not accepted; {_EXPECTED}, or an object such as ir_measures.AP"
    )


def require_ir_measures() -> Any:
    """Import ir_measures and what measures for it, or raise `MissingDependencyError`."""
    try:
        import_module("pytrec_eval")
        return import_module("ir_measures")
    except ImportError as error:
        raise MissingDependencyError(
            "measures need ir_measures and pytrec_eval, which are not installed; run "
            "pip install 'cdfscore[trec]'"
        ) from error


def _names(given: AnyMeasures) -> list[str]:
    if isinstance(given, Iterable) and not isinstance(given, str | bytes):
        return list(map(name_of_measure, given))
    return [name_of_measure(given)]


def _is_object(given: object) -> bool:
    """Tell whether something is a measure of ir_measures or one of the sums."""
    return isinstance(given, RankedSum | require_ir_measures().Measure)


def _parts(text: str) -> tuple[str, dict[str, Any], Any]:
    """Split a name of a measure into its name, its settings, and what follows the @."""
    try:
        node: ast.expr = ast.parse(text.strip(), mode="eval").body
        at = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            at = ast.literal_eval(node.right)
            node = node.left
        settings = {}
        if isinstance(node, ast.Call) and not node.args:
            settings = {str(k.arg): ast.literal_eval(k.value) for k in node.keywords}
            node = node.func
        if isinstance(node, ast.Name):
            return node.id, settings, at
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        pass
    raise MeasureError(f"measure {text!r} is not a name with settings; {_EXPECTED}")


def _with_cutoff(text: str, settings: dict[str, Any], name: str, at: Any) -> dict[str, Any]:
    if at is None:
        return settings
    if name in settings:
        raise MeasureError(f"measure {text!r} has {name} twice; expected it once")
    return {**settings, name: at}


def _refuse_unknown_settings(text: str, settings: dict[str, Any], known: list[str]) -> None:
    for setting in settings:
        if setting not in known:
            expected = f"expected {' or '.join(known)}" if known else "expected none"
            raise MeasureError(
                f"measure {text!r} has no setting {setting!r}{did_you_mean(setting, known)}; "
                f"{expected}"
            )


def _hint(irm: Any, name: str, text: str) -> str:
    """Return the measure that was probably meant: trec_eval's name for it, or a similar one."""
    try:
        measures = irm.parse_trec_measure(text.strip())
    except (ValueError, KeyError, TypeError):
        measures = []
    if measures:
        return f": it is trec_eval's name for {measures[0]}"
    known = [*irm.measures.registry, *SUMS]
    same = [each for each in known if each.casefold() == name.casefold()]
    return f" (did you mean {same[0]!r}?)" if same else did_you_mean(name, known)


def _refuse_unmeasured(irm: Any, measure: Any) -> None:
    """Raise `MeasureError` where nothing that is installed measures it, or it needs subtopics."""
    providers = irm.DefaultPipeline.providers
    if any(p.NAME == _DIVERSITY and p.supports(measure) for p in providers):
        raise MeasureError(
            f"measure {str(measure)!r} is a measure of diversity, which needs subtopics; expected "
            "another, because cdfscore does not read the iteration column of the qrels"
        )
    if irm.DefaultPipeline.supports(measure):
        return
    others = [p.NAME for p in providers if p.supports(measure)]
    needed = "no program of ir_measures has it"
    if others:
        needed = f"it needs {' or '.join(others)}, which is not installed"
    raise MeasureError(f"measure {str(measure)!r} cannot be measured: {needed}")
