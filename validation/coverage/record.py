"""The simulations by name, and the record of what they found."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple
from pathlib import Path

from validation.coverage import of_models, of_pairs, of_plans, of_references
from validation.coverage.cells import Cell

RECORD = Path(__file__).with_name("coverage.json")

SIMULATIONS: dict[str, Callable[[], Iterator[Cell]]] = {
    simulation.__name__: simulation
    for simulation in (
        of_pairs.of_paired_tests,
        of_pairs.of_unpaired_tests,
        of_pairs.of_exact_ties,
        of_pairs.of_families,
        of_plans.of_monte_carlo,
        of_pairs.of_effect_sizes,
        of_models.of_anova,
        of_models.of_anova_effects,
        of_models.of_mixed,
        of_models.of_balanced,
        of_models.of_variances,
        of_models.of_generalizability,
        of_references.of_reference_uncertainty,
        of_references.of_leave_one_out,
        of_references.of_band,
        of_plans.of_goals,
        of_plans.of_reliability,
        of_plans.of_checks,
        of_plans.of_diagnosis,
        of_plans.of_pit_band,
        of_plans.of_ranking,
        of_plans.of_percentiles,
    )
}


def recorded() -> dict[str, list[Cell]]:
    """Return the cells of the record, by simulation."""
    if not RECORD.exists():
        return {}
    found = json.loads(RECORD.read_text("utf-8"))
    return {name: [Cell(*row) for row in rows] for name, rows in found.items()}


def record(found: Mapping[str, list[Cell]]) -> None:
    """Write the record, a line for each cell."""
    parts = []
    for name in SIMULATIONS:
        lines = ",\n".join(f"  {json.dumps(astuple(cell))}" for cell in found.get(name, []))
        parts.append(f' "{name}": [\n{lines}\n ]')
    RECORD.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
