"""Structures of a Parquet file: what is needed is read, and the rest is passed over."""

import tracemalloc

import pytest

from cdfscore.io.scores.parquet.pages import ThriftReader
from cdfscore.io.scores.parquet.structs import I32, I64, ThriftError


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x15\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "more than 64 bits"),
        (b"\x1c" * 100, "structures within structures"),
        (b"\x1e\x00", "unknown type 14"),
        (b"\x19\xf5\xff\xff\xff\x07", "part of the file is missing"),
        (b"\x18\x05abc", "part of the file is missing"),
        (b"\x15", "part of the file is missing"),
    ],
)
def test_what_is_no_structure(content: bytes, message: str) -> None:
    with pytest.raises(ThriftError, match=message):
        ThriftReader(memoryview(content), 0).struct({})


def test_every_type_of_field_is_passed_over() -> None:
    """A field of each type, its number after that of the last, and one with a number of its own."""
    content = bytes.fromhex(
        "11 12 1307 1503 1604 17 0001020304050607 18 02 4142 19 22 01 00 1a 15 06 1b 01 58 02 01 43"
        "1b 00 1c 1502 00 05 c801 01 00"
    )
    assert ThriftReader(memoryview(content), 0).struct({100: I32}).fields == {100: -1}
    found = ThriftReader(memoryview(content), 0).struct({4: I32, 5: I64, 12: {1: I32}})
    assert (found.fields[4], found.size(5), found.struct(12).size(1)) == (-2, 2, 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("26 02 00", "the field 2 of a structure has the type 6"),
        ("25 02 05 04 04 00", "the field 2 of a structure is there twice"),
        ("25 02 05 84 80 08 04 00", "a field of the number 65538"),
        ("25 82 80 80 80 20 00", "a number of more than 32 bits"),
        ("25 01 00", "the field 2 of a structure is -1; expected 0 or more"),
        ("15 02 00", "a structure has no field 2"),
        ("45 02 00", "the field 4 of a structure has the type 5"),
        ("49 15 02 00", "the field 4 of a structure has the type 5"),
        ("4a 1c 00 00", "the field 4 of a structure has the type 10"),
    ],
)
def test_fields_on_which_programs_do_not_agree(content: str, message: str) -> None:
    """pyarrow takes the last field of the type that it expects, and cuts off what is too long."""
    with pytest.raises(ThriftError, match=message):
        ThriftReader(memoryview(bytes.fromhex(content)), 0).struct({2: I32, 4: [{}]}).size(2)


def test_what_nobody_needs_is_not_kept() -> None:
    """A list of 300,000 empty structures was as many objects, some 60 MB of them."""
    members = 300_000
    content = b"\x19\xfc" + bytes([members & 127 | 128, members >> 7 & 127 | 128, members >> 14])
    tracemalloc.start()
    found = ThriftReader(memoryview(content + bytes(members + 1)), 0).struct({2: I32})
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    assert found.fields == {}
