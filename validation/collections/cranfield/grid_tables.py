"""Numbers of the grid in the data card."""

from collections.abc import Mapping, Sequence
from itertools import combinations, compress
from typing import Any

import numpy as np

from .card_tables import Results
from .grid import COMPONENTS, FACTORS, MODELS
from .measure import MEASURES, Matrix
from .systems import SYSTEMS, call
from .text import STEMMERS, STOP_LISTS, words

LEVELS: Mapping[str, Sequence[str]] = {
    factor: list(dict.fromkeys(getattr(each, factor) for each in COMPONENTS)) for factor in FACTORS
}
"""Levels of each factor, in the order of the systems."""


def cube(matrix: Matrix) -> Matrix:
    """Scores with an axis for the topics and one for each factor."""
    return matrix.reshape(len(matrix), *(len(levels) for levels in LEVELS.values()))


def descriptions(results: Results) -> dict[str, dict[str, str]]:
    """One line on each level of each factor."""
    return {
        "stemmer": {name: stemmer.description for name, stemmer in STEMMERS.items()},
        "stoplist": {
            name: f"{len(stop_list.words)} words, {share:.0%} of the words of the documents: "
            f"{stop_list.description}"
            for (name, stop_list), share in zip(
                STOP_LISTS.items(), shares_of_text(results), strict=True
            )
        },
        "model": {name: call(model) for name, model in MODELS.items()},
    }


def shares_of_text(results: Results) -> list[float]:
    """Share of the words of all documents that each stop list takes away."""
    text = [word for document in results.collection.documents for word in words(document.full)]
    return [
        sum(word in stop_list.words for word in text) / len(text)
        for stop_list in STOP_LISTS.values()
    ]


def means_of_levels(results: Results) -> dict[str, dict[str, list[float]]]:
    """Mean of each measure, by factor and level."""
    means = {
        factor: [
            cube(results.grid[measure]).mean(axis=tuple({0, 1, 2, 3} - {axis}))
            for measure in MEASURES
        ]
        for axis, factor in enumerate(FACTORS, start=1)
    }
    return {
        factor: {
            level: [float(by_level[row]) for by_level in means[factor]]
            for row, level in enumerate(levels)
        }
        for factor, levels in LEVELS.items()
    }


def means_of_systems(results: Results) -> dict[str, list[float]]:
    """Mean AP of the models, by stemmer and stop list."""
    means = results.grid["ap"].mean(axis=0).reshape(-1, len(MODELS))
    pairs = dict.fromkeys((each.stemmer, each.stoplist) for each in COMPONENTS)
    return {
        f"{stemmer}, {stoplist}": [*row]
        for (stemmer, stoplist), row in zip(pairs, means.tolist(), strict=True)
    }


def long_less_none(results: Results) -> dict[str, float]:
    """What the long stop list adds to mean AP, by model."""
    by_list = dict(
        zip(LEVELS["stoplist"], np.moveaxis(cube(results.grid["ap"]), 2, 0), strict=True)
    )
    gains = (by_list["long"] - by_list["none"]).mean(axis=(0, 1))
    return dict(zip(LEVELS["model"], gains.tolist(), strict=True))


def failures(results: Results) -> list[dict[str, Any]]:
    """How many systems score 0 on how many topics, by measure."""
    rows = []
    for name, measure in MEASURES.items():
        zero = results.grid[name] == 0
        of_topic, of_system = zero.sum(axis=1), zero.sum(axis=0)
        rows.append(
            {
                "measure": measure,
                "none": int((of_topic == 0).sum()),
                "few": int(((of_topic > 0) & (of_topic <= zero.shape[1] / 2)).sum()),
                "many": int(((of_topic > zero.shape[1] / 2) & (of_topic < zero.shape[1])).sum()),
                "all": int((of_topic == zero.shape[1]).sum()),
                "fewest": int(of_system.min()),
                "median": float(np.median(of_system)),
                "most": int(of_system.max()),
                "worst": COMPONENTS[int(of_system.argmax())].name,
            }
        )
    return rows


def without_effect(results: Results) -> list[dict[str, Any]]:
    """Topics, constant ones aside, on which a factor changes no score, and the nearest systems."""
    rows = []
    for name, measure in MEASURES.items():
        matrix = results.grid[name]
        varying = np.ptp(matrix, axis=1) > 0
        same = {
            factor: np.ptp(cube(matrix), axis=axis) == 0
            for axis, factor in enumerate(FACTORS, start=1)
        }
        differing, *pair = min(
            (int((matrix[:, a] != matrix[:, b]).sum()), COMPONENTS[a].name, COMPONENTS[b].name)
            for a, b in combinations(range(len(COMPONENTS)), 2)
        )
        rows.append(
            {
                "name": name,
                "measure": measure,
                "topics": {
                    factor: [*compress(results.topics, varying & equal.all(axis=(1, 2)))]
                    for factor, equal in same.items()
                },
                "cells": {factor: float(equal.mean()) for factor, equal in same.items()},
                "differing": differing,
                "pair": pair,
            }
        )
    return rows


def in_both_sets(results: Results) -> list[tuple[str, str]]:
    """Systems of the grid with the scores of one of the other set, by all measures."""
    return [
        (each.name, name)
        for column, each in enumerate(COMPONENTS)
        for other, name in enumerate(SYSTEMS)
        if all(
            np.array_equal(results.grid[measure][:, column], results.matrices[measure][:, other])
            for measure in MEASURES
        )
    ]
