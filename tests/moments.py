"""Files of means and standard deviations as Webber and Moffat publish them, made by pandas."""

import tarfile
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

import pandas as pd

from cdfscore import Factors


def write_moments(factors: Iterable[Factors], means: Path, sds: Path | None = None) -> None:
    """Write factors with the same topics as two CSV files, or without `sds` as one tar.gz."""
    each = list(factors)
    mean, sd = (
        pd.DataFrame(
            {str(own.measure): own.fitted.parameters[name][:, 0] for own in each},
            index=pd.Index(each[0].topics, name="topic"),
        )
        .to_csv()
        .encode()
        for name in ("mean", "sd")
    )
    if sds is not None:
        means.write_bytes(mean)
        sds.write_bytes(sd)
        return
    with tarfile.open(means, "w:gz") as tar:
        for name, content in (("means.csv", mean), ("sds.csv", sd)):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, BytesIO(content))
