"""What is fuzzed, on its seeds: all bytes are read, or refused by one sentence."""

from pathlib import Path

import pytest

from cdfscore.stats.schemes.base import schemes
from validation.fuzzing.corpus import SEEDS, files_of, seeds_of, targets
from validation.fuzzing.readers import COMMANDS, READERS
from validation.fuzzing.target import COMMAND_LINE, target_of

LARGEST = 4096


def test_each_reader_has_seeds_and_each_seed_a_reader() -> None:
    assert {folder.name for folder in SEEDS.iterdir()} == set(READERS)
    for reader in READERS:
        sizes = [path.stat().st_size for path in files_of(reader)]
        assert 0 < max(sizes) <= LARGEST


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", targets())
def test_seeds_are_read_or_refused(name: str, tmp_path: Path) -> None:
    """An input that was found once stays mended; each reader and each command accepts a seed.

    One that refuses all of them would not be fuzzed beyond its first line.
    """
    accepts = target_of(name, tmp_path)
    accepted = {
        content[0] if name == COMMAND_LINE else 0 for content in seeds_of(name) if accepts(content)
    }
    assert len(accepted) == (len(COMMANDS) if name == COMMAND_LINE else 1)


def test_factors_of_each_scheme_are_read(tmp_path: Path) -> None:
    """They have no digest, so that what is changed in them is read too."""
    accepts = target_of("factors", tmp_path)
    read = {path.stem for path in files_of("factors") if accepts(path.read_bytes())}
    assert read == set(schemes.names())
