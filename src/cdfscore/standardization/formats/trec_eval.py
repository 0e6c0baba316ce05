"""Factor files of ``trec_eval -Z``: lines of topic, measure, mean, standard deviation."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from cdfscore.errors import FactorsError
from cdfscore.io.atomic import write_whole
from cdfscore.io.content import refuse_others, with_one_line_end, without_marks
from cdfscore.io.decimals import number
from cdfscore.io.digests import read_bytes
from cdfscore.io.files import readable
from cdfscore.schemes.base import Scheme
from cdfscore.schemes.registry import schemes
from cdfscore.standardization.factors import Factors
from cdfscore.standardization.formats.published import factors_of_moments, moments_by_measure


def read_trec_eval_factors(path: str | Path, *, scheme: str | Scheme = "z") -> dict[str, Factors]:
    """Read a ``trec_eval -Z`` file: factors by measure, in the order of the file.

    For z, the policy for constant topics is that of trec_eval (``constant="trec_eval"``). For
    other schemes with a mean and an sd, it is "limit".

    Raises `FactorsError` with the line number for an invalid line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "zscores.txt"
    >>> _ = file.write_text("301 map 0.2 0.1\\n302 map 0.5 0.1\\n")
    >>> read_trec_eval_factors(file)["map"]
    <factors of map by z for 2 topics, '301' to '302'>
    """
    return parse_trec_eval(text_of(Path(path)), Path(path), scheme)


def text_of(path: Path) -> str:
    """Read a file of factors as text; raises `FactorsError`."""
    with readable(path, FactorsError):
        content = read_bytes(path)
    refuse_others(str(path), content, FactorsError, "the text of a file of factors")
    with readable(path, FactorsError):
        return with_one_line_end(without_marks(content)).decode()


def parse_trec_eval(text: str, path: Path, scheme: str | Scheme) -> dict[str, Factors]:
    """Parse what `read_trec_eval_factors` reads; `path` is for messages."""
    table: dict[str, dict[str, tuple[float, float]]] = {}
    for line, fields in enumerate(map(str.split, text.split("\n")), start=1):
        if not fields:
            continue
        if (
            len(fields) != 4
            or (mean := number(fields[2])) is None
            or (sd := number(fields[3])) is None
            or not (math.isfinite(mean) and math.isfinite(sd))
        ):
            raise FactorsError(
                f"{path}, line {line}: {' '.join(fields)!r} is not a topic, a measure, a mean "
                "and a standard deviation, as a file of factors has them"
            )
        topic, measure = fields[:2]
        if topic in table.setdefault(measure, {}):
            raise FactorsError(f"{path}, line {line}: {measure} of topic {topic!r} appears twice")
        table[measure][topic] = (mean, sd)
    if not table:
        raise FactorsError(f"{path} is empty; expected lines of topic, measure, mean and sd")
    chosen = schemes.parse(scheme) if isinstance(scheme, str) else scheme
    return {
        measure: factors_of_moments(
            chosen,
            topics,
            [mean for mean, _ in topics.values()],
            [sd for _, sd in topics.values()],
            source=path,
            measure=measure,
            constant="trec_eval" if chosen.name == "z" else "limit",
        )
        for measure, topics in table.items()
    }


def write_trec_eval_factors(factors: Iterable[Factors], path: str | Path) -> None:
    """Write factors of one or more measures as a file for ``trec_eval -Z``.

    The format has only the moments: scheme, settings and policies are not written. Numbers have
    enough digits to be read back as the same double. Lines are sorted by the bytes of topic and
    measure, the order in which trec_eval looks them up.

    Raises `FactorsError` for factors without a mean and an sd, a measure, or topic labels, for
    two factors of the same measure, and for a label with a space, which the format does not
    allow.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from cdfscore import Standardizer, datasets
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "zscores.txt"
    >>> factors = Standardizer("z").fit(datasets.load_cranfield("ap"), measure="map")
    >>> write_trec_eval_factors([factors], file)
    >>> list(read_trec_eval_factors(file))
    ['map']
    """
    lines = []
    for measure, topics, means, sds in moments_by_measure(factors, Path(path)):
        for topic, mean, sd in zip(topics, means.tolist(), sds.tolist(), strict=True):
            for label in (topic, measure):
                if label.split() != [label]:
                    raise FactorsError(f"{path}: the label {label!r} is empty or has a space")
            lines.append((topic, measure, f"{topic} {measure} {mean!r} {sd!r}\n"))
    write_whole({Path(path): "".join(line for *_, line in sorted(lines)).encode()})
