"""``python -m validation.references`` records R's outputs anew; it needs R.

Inputs are drawn anew too. References of what is in the catalogue no more are removed.
"""

from __future__ import annotations

from cdfscore.common.files import write_whole
from cdfscore.r.session import RSession
from validation.references.reference import (
    RECORDED,
    Case,
    Reference,
    digest_of_inputs,
    encode,
    path_of,
)
from validation.references.running_r import describe
from validation.references.subjects import names, subject


def main() -> None:
    r = RSession()
    RECORDED.mkdir(exist_ok=True)
    contents = {path_of(name): encode(recorded(name, r)) for name in names()}
    write_whole(contents)
    for path in set(RECORDED.iterdir()) - contents.keys():
        path.unlink()
    print(f"{len(contents)} references, {sum(map(len, contents.values()))} bytes, in {RECORDED}")


def recorded(name: str, r: RSession) -> Reference:
    of = subject(name)
    inputs = of.inputs()
    return Reference(
        name=name,
        call=of.call(),
        cases=[Case(label, each, of.by_r(r, each)) for label, each in inputs.items()],
        digest=digest_of_inputs(inputs),
        made_by=describe(r),
    )


if __name__ == "__main__":
    main()
