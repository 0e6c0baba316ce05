"""Integrals of the density of a logspline: over pieces by nodes, over tails in closed form.

Between knots the log of the density is a cubic, and the density is integrated by 20
Gauss-Legendre nodes on parts over which its log varies little, good to double precision. In
the tails the log is linear.
"""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array
from cdfscore.schemes.logspline.basis import FIRST, MASS, SECOND

_nodes, _weights = np.polynomial.legendre.leggauss(20)
# On [0, 1].
_NODES, _WEIGHTS = (_nodes + 1) / 2, _weights / 2
# How much the log density may vary from the middle of a part, for 20 nodes to be exact.
_VARIATION = 3.0


@compiled
def piece_mass(level: float, first: float, second: float, third: float, h: float) -> float:
    """Integrate exp(level + first u + second u^2 + third u^3) h over 0 <= u <= 1."""
    parts, total = _parts(first, second, third), 0.0
    for part in range(parts):
        for node in range(len(_NODES)):
            u = (part + _NODES[node]) / parts
            total += _at_node(node, u, level, first, second, third)
    return total * (h / parts)


@compiled
def piece_moments(q: Array, h: float, moments: Array) -> None:
    """Fill `moments` with the integrals of exp(q(u)) u^power h over 0 <= u <= 1."""
    for power in range(len(moments)):
        moments[power] = 0.0
    parts = _parts(q[1], q[2], q[3])
    for part in range(parts):
        for node in range(len(_NODES)):
            u = (part + _NODES[node]) / parts
            mass = _at_node(node, u, q[0], q[1], q[2], q[3])
            for power in range(len(moments)):
                moments[power] += mass
                mass *= u
    for power in range(len(moments)):
        moments[power] *= h / parts


@compiled
def _at_node(node: int, u: float, level: float, first: float, second: float, third: float) -> float:
    """Return the density at u, where the node lies, times the weight of the node."""
    density = math.exp(level + u * (first + u * (second + u * third)))
    return float(_WEIGHTS[node] * density)


@compiled
def _parts(first: float, second: float, third: float) -> int:
    """Return the number of parts of a piece, such that the nodes are exact on each part."""
    return 1 + int(variation(first, second, third) / _VARIATION)


@compiled
def variation(first: float, second: float, third: float) -> float:
    """Return how much the log density varies at most from the middle of a piece."""
    slope, bend = first + second + 0.75 * third, second + 1.5 * third  # in the middle
    return abs(slope) / 2 + abs(bend) / 4 + abs(third) / 8


@compiled
def tail_moments(slope: float, length: float, height: float, moments: Array) -> None:
    """Integrate height exp(slope w) w^power over -length <= w <= 0, for the powers 0, 1, 2."""
    if length == np.inf:
        moments[MASS] = height / slope
        moments[FIRST] = -moments[MASS] / slope
        moments[SECOND] = -2 * moments[FIRST] / slope
    elif abs(slope * length) < 2 * _VARIATION:
        moments[MASS] = moments[FIRST] = moments[SECOND] = 0.0
        for node in range(len(_NODES)):
            w = -length * _NODES[node]
            mass = height * length * _WEIGHTS[node] * math.exp(slope * w)
            moments[MASS] += mass
            moments[FIRST] += mass * w
            moments[SECOND] += mass * w * w
    else:
        far = height * math.exp(-slope * length)
        moments[MASS] = (height - far) / slope
        moments[FIRST] = (length * far - moments[MASS]) / slope
        moments[SECOND] = -(length * length * far + 2 * moments[FIRST]) / slope
