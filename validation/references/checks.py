"""What is wrong with the references: sentences, none where all is well."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.tolerance import ulp_distance
from cdfscore.stats.numerics.types import Array
from validation.references.reference import RENEW, Case, Reference, digest_of_inputs, path_of
from validation.references.subjects import Arrays, names, subject

Measure = Callable[[Array, Array], Array]


def folder_problems(folder: Path) -> list[str]:
    """Name the files of a folder that belong to no subject."""
    stale = set(folder.iterdir()) - {path_of(name, folder) for name in names()}
    return [f"{path.name} belongs to no variant; {RENEW}" for path in sorted(stale)]


def record_problems(reference: Reference) -> list[str]:
    """Compare what a reference says of its inputs and call with what they are."""
    of, problems = subject(reference.name), []
    digest = digest_of_inputs({case.label: case.inputs for case in reference.cases})
    if digest != reference.digest:
        problems.append(f"its inputs have the digest {digest}, and {reference.digest} is recorded")
    call = of.call()
    problems += [
        f"{key} is {call.get(key)!r}, and {reference.call.get(key)!r} is recorded"
        for key in sorted(call.keys() | reference.call.keys())
        if call.get(key) != reference.call.get(key)
    ]
    labels = [case.label for case in reference.cases]
    if labels != list(of.inputs()):
        problems.append("its cases are not those that are drawn today")
    return [f"{reference.name}: {problem}; {RENEW}" for problem in problems]


def python_problems(reference: Reference) -> list[str]:
    """Compare the recorded outputs with Python's, within the tolerance of the subject."""
    of = subject(reference.name)
    return list(_differences(reference, of.by_python, of.tolerance.distance, of.tolerance.ulp))


def r_problems(reference: Reference, r: RSession) -> list[str]:
    """Compare the recorded outputs with R's of today, bit for bit."""
    of = subject(reference.name)
    return list(_differences(reference, lambda inputs: of.by_r(r, inputs), _bits, 0))


def _differences(
    reference: Reference, compute: Callable[[Arrays], Arrays], distance: Measure, allowed: float
) -> Iterator[str]:
    """Say of each output of each case where it is farthest off, if it is too far off."""
    for case in reference.cases:
        found, where = compute(case.inputs), f"{reference.name}: {case.label}"
        if found.keys() != case.outputs.keys():
            yield f"{where}: there are {list(found)}, and {list(case.outputs)} are recorded"
            continue
        for name, recorded in case.outputs.items():
            if found[name].shape != recorded.shape:
                yield f"{where}: {name} has shape {found[name].shape}, recorded {recorded.shape}"
                continue
            off = distance(found[name], recorded)
            if not (off <= allowed).all():  # a distance that is NaN is too large as well
                worst = int(off.argmax())
                yield (
                    f"{where}{_place(case, worst)}: {name} = {float(found[name][worst])!r}, and "
                    f"{float(recorded[worst])!r} is recorded of R; the distance of {off[worst]:g} "
                    f"ulp is more than the {allowed:g} allowed"
                )


def _place(case: Case, i: int) -> str:
    """Name the x or p that output i belongs to, where there is one."""
    points = [
        f" at {name} = {float(v[i])!r}" for name, v in case.inputs.items() if name != "scores"
    ]
    return "".join(points)


def _bits(a: Array, b: Array) -> Array:
    """Return the distance in ulp where zeros of two signs are different, too."""
    signs = (np.signbit(a) != np.signbit(b)) & ~np.isnan(a)
    off: Array = ulp_distance(a, b) + signs
    return off
