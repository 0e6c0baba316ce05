"""The claims that are checked by other tests than those of tests/claims, or by a program."""

from __future__ import annotations

#: The page, a piece of it word by word, and the test, the page with examples, or the program.
CHECKED_ELSEWHERE: tuple[tuple[str, str, str], ...] = ()

#: The pages whose numbers a program writes, or some of them, and the command.
WRITTEN: dict[str, str] = {
    "docs/diagnosis-validation.md": "python -m validation.diagnosis",
    "docs/faults.md": "make faults",
    "docs/levels.md": "python -m validation.significance.levels",
    "docs/measures.md": "python -m validation.trec_eval.measures_compared",
    "docs/merging-validation.md": "python -m validation.merging",
    "docs/mutants.md": "make mutants",
    "docs/parity.md": "python -m validation.campaign",
    "docs/reference_systems.md": "python -m validation.papers.reference_systems",
    "docs/reference_uncertainty.md": "python -m validation.papers.reference_uncertainty",
    "docs/rounding-noise.md": "python -m validation.papers.rounding_noise",
    "docs/significance-validation.md": "python -m validation.significance",
    "docs/speed.md": "python -m validation.benchmarks",
    "docs/statsmodels.md": "python -m validation.statsmodels_judge",
    "docs/what_fits.md": "python -m validation.diagnosis.real",
}
