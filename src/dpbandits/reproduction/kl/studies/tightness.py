"""kl/tightness: how close the exact loss comes to each bound, on designed and searched data."""

import json

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.models import Model
from dpbandits.core.streams import Streams, key_of
from dpbandits.reproduction.kl.attacks.families import (
    BanditFamily,
    LinearFamily,
    PreferenceFamily,
    SwapFamily,
)
from dpbandits.reproduction.studies import study

FAMILIES = (BanditFamily(), SwapFamily(), LinearFamily(), PreferenceFamily())
ROUNDING = 1e-9
LARGE = 1e300  # infinite ratios (a printed delta that underflows) have quantiles, too


class Tightness(Model):
    designed: int = Field(10000, ge=1)  # data sets drawn per family
    rounds: int = Field(20, ge=0)  # of mutation and selection
    kept: int = Field(10, ge=1)  # per bound and round
    children: int = Field(5, ge=1)  # per data set kept
    seed: int = 0


@study("kl/tightness", params=Tightness)
def tightness(params: Tightness) -> pd.DataFrame:
    return pd.DataFrame([row for family in FAMILIES for row in _rows(family, params)])


def _rows(family, params) -> list[dict]:
    """Per bound: data sets drawn at random, then data sets searched for it.

    The search keeps the data sets closest to the bound, mutates them, and evaluates all again.
    """
    key = key_of("kl/tightness", type(family).__name__)
    generator = Streams(key, (params.seed,)).generator(0)
    population = [family.draw(generator) for _ in range(params.designed)]
    ratios = family.evaluate(population)
    rows = [_row(claim, "designed", population, values) for claim, values in ratios.items()]
    best = {claim: _best(population, values, params.kept) for claim, values in ratios.items()}
    searched = {claim: ([], []) for claim in ratios}
    for _ in range(params.rounds):
        for claim, (parents, parents_ratios) in best.items():
            children = [
                family.mutate(p, generator) for p in parents for _ in range(params.children)
            ]
            values = family.evaluate(children)[claim]
            searched[claim][0].extend(children)
            searched[claim][1].extend(values)
            together = parents + children, np.concatenate([parents_ratios, values])
            best[claim] = _best(*together, params.kept)
    if params.rounds:
        rows += [_row(claim, "searched", *searched[claim]) for claim in searched]
    return rows


def _best(population, ratios, kept: int):
    """The `kept` data sets of the largest ratios, and these."""
    order = np.argsort(-np.asarray(ratios), kind="stable")[:kept]
    return [population[i] for i in order], np.asarray(ratios)[order]


def _row(claim, family, population, ratios) -> dict:
    ratios = np.asarray(ratios)
    worst = int(np.argmax(ratios))
    crossed = ratios > 1 + ROUNDING
    data_set = json.dumps(population[worst], default=_rounded) if crossed[worst] else ""
    return {
        "claim": claim,
        "family": family,
        "data_sets": len(ratios),
        "crossed": int(crossed.sum()),
        "median": float(np.median(np.minimum(ratios, LARGE))),
        "q95": float(np.quantile(np.minimum(ratios, LARGE), 0.95)),
        "worst": float(ratios[worst]),
        "data_set": data_set,
    }


def _rounded(values) -> list:
    return np.round(values, 6).tolist()
