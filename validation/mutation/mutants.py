"""The mutants of a file: mutmut's operators, and three more.

mutmut itself does not fit here. It leaves decorated functions out, as most significance tests
are, and all that is run at import; and it has no way to run what numba compiles. Of it only the
operators are used, without those that change text, or put None for a value, which any test kills.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider
from mutmut.mutation import mutators

_LEFT_OUT = {mutators.operator_string, mutators.operator_assignment, mutators.operator_lambda}
# Prose: errors, and text with values in it. Types change nothing when the code runs.
_PROSE = (cst.Raise, cst.FormattedString, cst.ConcatenatedString)
_NOT_MUTATED = (*_PROSE, cst.Annotation, cst.Import, cst.ImportFrom, cst.Assert)
_HEADED = (cst.FunctionDef, cst.ClassDef, cst.If, cst.While, cst.For, cst.With, cst.Try)
_TWINS = ["min max", "minimum maximum", "fmin fmax", "any all", "floor ceil", "argmin argmax"]
_TWIN = {a: b for pair in map(str.split, _TWINS) for a, b in (pair, pair[::-1])}


@dataclass(frozen=True)
class Place:
    """Where a node is."""

    path: Path
    #: The outermost function or method around it; of what is run at import, "" or a class.
    function: str = ""
    #: Whether numba compiles that function.
    compiled: bool = False
    #: Whether that function keeps its results, so that few tests reach its lines.
    cached: bool = False
    #: The first and the last line of the statement, or of the head of it if it has a body.
    lines: tuple[int, int] = (0, 0)

    @property
    def in_function(self) -> bool:
        """False for what is run at import alone."""
        return bool(self.function) and not self.function.endswith(".")

    @property
    def package(self) -> str:
        """The folder of `PACKAGES` that the file is in."""
        inside = self.path.parts[self.path.parts.index("cdfscore") + 1 : -1]
        return "/".join(inside[: 2 if inside[0] == "stats" else 1])


@dataclass(frozen=True)
class Mutant:
    """A change of one node of a file."""

    place: Place
    module: cst.Module
    node: cst.CSTNode
    new: cst.CSTNode
    at: CodeRange
    #: Of the places in the function that have these lines, the number of this one, from 1.
    number: int = 1

    @cached_property
    def code(self) -> str:
        """The whole file with the change."""
        return self.module.deep_replace(self.node, self.new).code

    @cached_property
    def change(self) -> tuple[str, str]:
        """The lines of the node, before and after."""
        lines, changed = self.module.code.splitlines(), self.code.splitlines()
        first, last = self.at.start.line - 1, self.at.end.line
        after = changed[first : last + len(changed) - len(lines)]
        return _joined(lines[first:last]), _joined(after)

    @cached_property
    def key(self) -> str:
        """A name that stays where lines are added above, unless they are the same lines."""
        again = [str(self.number)] * (self.number > 1)
        place = "|".join((str(self.place.path), self.place.function, *self.change, *again))
        return hashlib.sha256(place.encode()).hexdigest()[:12]


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield all mutants of a file, in the order of its nodes."""
    wrapper = MetadataWrapper(cst.parse_module(path.read_text(encoding="utf-8")), True)
    positions = wrapper.resolve(PositionProvider)
    lines = wrapper.module.code.splitlines()
    starts: dict[tuple[str, str], list[int]] = {}

    def number(at: CodeRange, place: Place) -> int:
        text = _joined(lines[at.start.line - 1 : at.end.line])
        same = starts.setdefault((place.function, text), [])
        if at.start.line not in same:
            same.append(at.start.line)
        return same.index(at.start.line) + 1

    def walk(node: cst.CSTNode, place: Place) -> Iterator[Mutant]:
        if isinstance(node, _NOT_MUTATED) or _is_of_types(node) or _is_strict(node):
            return
        if isinstance(node, (cst.SimpleStatementLine, *_HEADED)):
            place = replace(place, lines=_lines(node, positions))
        for old, new in _changes(node):
            at = positions[old]
            yield Mutant(place, wrapper.module, old, new, at, number(at, place))
        for child in node.children:
            inside = place
            if child is getattr(node, "body", None) and not place.in_function:
                if isinstance(node, cst.FunctionDef):
                    inside = _inside(node, place)
                elif isinstance(node, cst.ClassDef):
                    inside = replace(place, function=f"{node.name.value}.")
            yield from walk(child, inside)

    yield from walk(wrapper.module, Place(path))


def _joined(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def _is_of_types(node: cst.CSTNode) -> bool:
    test = getattr(node, "test", None)
    return isinstance(test, cst.Name) and test.value == "TYPE_CHECKING"


def _is_strict(node: cst.CSTNode) -> bool:
    """Tell whether a node is strict=True, which is an assertion."""
    return isinstance(node, cst.Arg) and bool(node.keyword) and node.keyword.value == "strict"


def _lacks_one(call: cst.Call, new: cst.Call) -> bool:
    """Tell whether an argument is left out, and not replaced by None."""
    lost = [arg for arg in call.args if arg not in new.args]
    return len(new.args) < len(call.args) and not any(map(_is_strict, lost))


def _inside(function: cst.FunctionDef, place: Place) -> Place:
    said = [cst.Module([]).code_for_node(each.decorator) for each in function.decorators]
    return replace(
        place,
        function=place.function + function.name.value,
        compiled=any(each.partition("(")[0] in {"compiled", "njit"} for each in said),
        cached=any("cache" in each for each in said),
    )


def _lines(node: cst.CSTNode, positions: dict[cst.CSTNode, CodeRange]) -> tuple[int, int]:
    body, first = getattr(node, "body", None), positions[node].start.line
    if isinstance(body, cst.IndentedBlock):
        return first, max(first, positions[body.body[0]].start.line - 1)
    return first, positions[node].end.line


def _changes(node: cst.CSTNode) -> Iterable[tuple[cst.CSTNode, cst.CSTNode]]:
    for kind, operator in mutators.mutation_operators:
        if isinstance(node, kind) and operator not in _LEFT_OUT:
            for new in operator(node):
                if operator is not mutators.operator_arg_removal or _lacks_one(node, new):
                    yield node, new
    if isinstance(node, cst.If):
        test = node.test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        yield node.test, cst.UnaryOperation(cst.Not(), test)
    if isinstance(node, cst.Integer) and node.evaluated_value > 0:
        yield node, node.with_changes(value=str(node.evaluated_value - 1))
    if isinstance(node, cst.Name) and node.value in _TWIN:
        yield node, node.with_changes(value=_TWIN[node.value])
