"""CSV files with every number exact, as pandas reads them from version 3 on."""

from contextlib import suppress
from typing import Any

import pandas as pd


def read_exact_csv(source: Any, **options: Any) -> pd.DataFrame:
    """Read a table; a column of numbers has doubles, and options are those of `pandas.read_csv`."""
    table = pd.read_csv(source, dtype=str, **options)
    for name in table:
        with suppress(ValueError):
            table[name] = table[name].astype(float)
    return table
