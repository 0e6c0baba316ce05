"""Experiments on scores: trials that draw topics or systems, seeded, parallel and resumable."""

from cdfscore.experiments.designs import Between as Between
from cdfscore.experiments.designs import Halves as Halves
from cdfscore.experiments.designs import ReferenceSize as ReferenceSize
from cdfscore.experiments.designs import Within as Within
from cdfscore.experiments.matrices import SchemeMatrices as SchemeMatrices
from cdfscore.experiments.matrices import pooled as pooled
from cdfscore.experiments.matrices import refitted as refitted
from cdfscore.experiments.matrices import standardized as standardized
from cdfscore.experiments.rates import ALPHAS as ALPHAS
from cdfscore.experiments.trials import run_trials as run_trials
