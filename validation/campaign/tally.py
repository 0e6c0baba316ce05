"""What the judges said of one scheme so far, as plain data."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from mpmath import mp

from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.schemes.base import Scheme
from validation.campaign.judge import LIMIT, Errors, Judgement, is_limited
from validation.campaign.truth import truth_of

Case = dict[str, Any]
# Longer samples are spelled by their trial alone.
_SPELLED = 12


@dataclass
class Tally:
    """Counts, and the worst input seen by (what was measured)."""

    scheme: Scheme
    trials: int = 0
    refused: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    off_by_kind: Counter[str] = field(default_factory=Counter)
    worst: dict[str, Case] = field(default_factory=dict)
    _measures: dict[str, float] = field(default_factory=dict)

    @property
    def inputs(self) -> int:
        return self.counts["inputs"]

    def add(self, found: Judgement) -> None:
        """Count the scores of one trial."""
        tolerance = self.scheme.tolerance
        known = ~np.isnan(found.trial.x)
        off = int(found.r_is_off.sum())
        self.counts.update(
            {"inputs": int(known.sum()), "failed": int(found.failed.sum()), "R is off": off}
        )
        if off:
            self.off_by_kind[found.trial.kind] += off
        self._keep("from R", found.distance, found, found.fine)
        self._keep("failed", found.distance, found, found.failed)
        if found.argument is None or found.scores is None:
            return
        self.counts["at 50 digits"] += int(known.sum())
        above = np.fmax(np.abs(found.y), np.abs(found.r)) > tolerance.floor
        counted = found.fine & (above if tolerance.floor < 1 else True)
        for name, errors in (("argument", found.argument), ("scores", found.scores)):
            self._keep(f"ours, {name}", errors.ours, found, known, errors)
            self._keep(f"R, {name}", errors.r, found, known & counted, errors)
            self._compare(name, errors, known)
        with np.errstate(invalid="ignore"):  # in ulp, most are infinitely far
            apart = np.nan_to_num(np.abs(found.y - found.r), nan=np.inf)
        what = f"R is off, {found.trial.kind}"
        self._keep(what, found.argument.r, found, found.r_is_off, found.argument, apart)
        for name, (ours, true, ulp) in found.parameters.items():
            if ulp > self.worst.get(f"parameter {name}", {"ulp": -1.0})["ulp"]:
                case = _sample(found) | {"ours": ours, "true": mp.nstr(true, 20), "ulp": ulp}
                self.worst[f"parameter {name}"] = case

    def _compare(self, name: str, errors: Errors, known: BoolArray) -> None:
        ours, r = errors.ours[known], errors.r[known]
        self.counts.update(
            {
                f"{name}: ours closer": int((ours < r).sum()),
                f"{name}: R closer": int((r < ours).sum()),
                f"{name}: same": int((r == ours).sum()),
                f"{name}: ours within the limit": int((ours <= LIMIT).sum()),
                f"{name}: R within the limit": int((r <= LIMIT).sum()),
            }
        )

    def _keep(
        self,
        what: str,
        ulp: Array,
        found: Judgement,
        where: BoolArray,
        errors: Errors | None = None,
        by: Array | None = None,
    ) -> None:
        """Keep the worst of these inputs, by ulp or `by` another measure, with its sample."""
        if not where.any():
            return
        measure = np.where(where, ulp if by is None else by, -1.0)
        i = int(measure.argmax())
        if measure[i] > self._measures.get(what, -1.0):
            self._measures[what] = float(measure[i])
            values = {"x": found.trial.x[i], "y": found.y[i], "R": found.r[i], "ulp": ulp[i]}
            case = _sample(found) | {key: float(v) for key, v in values.items()}
            if errors is not None:
                case["true"] = mp.nstr(errors.true[i], 20)
            self.worst[what] = case

    def data(self) -> dict[str, Any]:
        """Return everything as plain data."""
        tolerance, truth = self.scheme.tolerance, truth_of(self.scheme)
        return {
            "scheme": str(self.scheme),
            "trials": self.trials,
            "refused trials": self.refused,
            "tolerance": {
                "ulp": tolerance.ulp,
                "floor": tolerance.floor,
                "reason": tolerance.reason,
            },
            "limit": LIMIT if is_limited(truth) else None,
            "shared argument": truth is not None and truth.shared,
            "counts": dict(sorted(self.counts.items())),
            "R is off by kind": dict(sorted(self.off_by_kind.items())),
            "worst": dict(sorted(self.worst.items())),
        }


def _sample(found: Judgement) -> Case:
    """Spell a sample by its trial, its size and moments, and in full where it is short."""
    s = found.trial.sample[~np.isnan(found.trial.sample)]  # in its order, in which sums are added
    unit = float(np.abs(s).max()) or 1.0  # no overflow, no underflow
    case: Case = {
        "kind": found.trial.kind,
        "trial": found.trial.number,
        "n": len(s),
        "mean": unit * float(np.mean(s / unit)),
        "sd": unit * float(np.std(s / unit, ddof=1)) if len(s) > 1 else 0.0,
    }
    return case | ({"sample": s.tolist()} if len(s) <= _SPELLED else {})
