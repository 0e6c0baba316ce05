"""The claims of README and docs: each test here quotes the claim that it checks.

    @claim("README.md", "E-std, U-std and z are equal to R bit for bit")
    def test_bits_of_r() -> None: ...

The test fails if the page no longer says so, word by word; line breaks do not matter. The table of
all claims is in docs/claims.md.
"""

import functools
from collections.abc import Callable
from typing import ParamSpec

from validation.documentation.claims import is_said

P = ParamSpec("P")


def claim(page: str, text: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Let a test check a claim of a page, named from the root of the repository."""

    def decorate(test: Callable[P, None]) -> Callable[P, None]:
        @functools.wraps(test)
        def checked(*args: P.args, **kwargs: P.kwargs) -> None:
            assert is_said(page, text), f"{page} does not say: {text}"
            test(*args, **kwargs)

        return checked

    return decorate
