"""Property tests draw the same examples in every run."""

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


def drawn() -> list[float]:
    found = []

    @settings(max_examples=300)
    @given(st.floats(0, 1))
    def draw(number: float) -> None:
        found.append(number)

    draw()
    return found


def test_examples_do_not_depend_on_the_modules_that_are_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = drawn()
    path = tmp_path / "numbers_of_ours.py"
    path.write_text(f"NUMBERS = {[k / 1009 for k in range(1, 1000)]}\n")
    spec = importlib.util.spec_from_file_location("numbers_of_ours", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "numbers_of_ours", module)
    assert drawn() == before
