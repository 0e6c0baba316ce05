"""Encrypted Parquet files are refused as such, whether their footers are encrypted or not."""

import base64
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from pyarrow.parquet import encryption

from cdfscore.errors import ScoresError
from cdfscore.scores.parquet import ParquetRows, frame_of_parquet


class Keys(encryption.KmsClient):
    """Keys that are no secrets."""

    def wrap_key(self, key: bytes, name: str) -> bytes:
        return base64.b64encode(name.encode() + b"|" + key)

    def unwrap_key(self, key: bytes, _: str) -> bytes:
        return base64.b64decode(key).split(b"|", 1)[1]


@pytest.fixture(params=["plain footer, a column", "plain footer, all columns", "all"])
def encrypted(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "s.parquet"
    table = pa.table({"topic": ["1", "2"], "a": [0.5, 0.25]})
    how = encryption.EncryptionConfiguration(
        footer_key="footer",
        column_keys={"column": ["a"] if request.param.endswith("a column") else ["topic", "a"]},
        plaintext_footer=request.param.startswith("plain"),
    )
    factory = encryption.CryptoFactory(lambda _: Keys())
    properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), how)
    with parquet.ParquetWriter(path, table.schema, encryption_properties=properties) as writer:
        writer.write_table(table)
    return path


def test_a_stream_says_so(encrypted: Path) -> None:
    with (
        pytest.raises(ScoresError, match=r"is encrypted; expected a file without encryption$"),
        ParquetRows.opened(encrypted) as rows,
    ):
        list(rows.batches(rows.names, 10))


def test_a_file_that_is_read_at_once_says_so(encrypted: Path) -> None:
    with pytest.raises(ScoresError, match=r"is encrypted; expected a file without encryption$"):
        frame_of_parquet(encrypted)
