"""kl/tightness: how close the exact loss comes to each bound, on designed and searched data."""

import json
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.algorithms import study
from dpbandits.core.models import Model
from dpbandits.core.streams import Streams, key_of
from dpbandits.offline.search.families import BanditFamily, LinearFamily, SwapFamily
from dpbandits.offline.search.families_rlhf import PreferenceFamily

FAMILIES = {
    "bandit": BanditFamily(), "swap": SwapFamily(), "linear": LinearFamily(),
    "preference": PreferenceFamily(),
}  # fmt: skip
Family = Literal["bandit", "swap", "linear", "preference"]
ROUNDING = 1e-9
LARGE = 1e300  # infinite ratios (a printed delta that underflows) have quantiles, too


class Tightness(Model):
    families: tuple[Family, ...] = tuple(FAMILIES)
    designed: int = Field(10000, ge=1)  # data sets drawn per family
    rounds: int = Field(20, ge=0)  # of mutation and selection
    kept: int = Field(10, ge=1)  # per bound and round
    children: int = Field(5, ge=1)  # per data set kept
    seed: int = 0


@study("kl/tightness", params=Tightness)
def tightness(params: Tightness) -> pd.DataFrame:
    rows = [row for name in params.families for row in _family(FAMILIES[name], params)]
    return pd.DataFrame(rows)


def _family(family, params) -> list[dict]:
    name = type(family).__name__
    generator = Streams(key_of("kl/tightness", name), (params.seed,)).generator(0)
    population = [family.draw(generator) for _ in range(params.designed)]
    ratios = family.evaluate(population)
    rows = [_row(claim, "designed", population, values) for claim, values in ratios.items()]
    return rows + _search(family, params, population, ratios, generator)


def _search(family, params, population, ratios, generator) -> list[dict]:
    """Evolution towards each bound: keep its closest data sets, mutate them, evaluate all."""
    elite = {claim: _best(population, values, params.kept) for claim, values in ratios.items()}
    seen = {claim: ([], []) for claim in ratios}
    for _ in range(params.rounds):
        for claim, (parents, scores) in elite.items():
            children = [
                family.mutate(p, generator) for p in parents for _ in range(params.children)
            ]
            values = family.evaluate(children)[claim]
            seen[claim][0].extend(children)
            seen[claim][1].extend(values)
            elite[claim] = _best(parents + children, np.concatenate([scores, values]), params.kept)
    return [
        _row(claim, "searched", children, np.array(values))
        for claim, (children, values) in seen.items()
        if children
    ]


def _best(population, values, kept):
    order = np.argsort(-np.asarray(values), kind="stable")[:kept]
    return [population[i] for i in order], np.asarray(values)[order]


def _row(claim, family, population, values) -> dict:
    best = int(np.argmax(values))
    crossed = bool(values[best] > 1 + ROUNDING)
    return {
        "claim": claim,
        "family": family,
        "data_sets": len(values),
        "crossed": int(np.sum(values > 1 + ROUNDING)),
        "median": float(np.median(np.minimum(values, LARGE))),
        "q95": float(np.quantile(np.minimum(values, LARGE), 0.95)),
        "worst": float(values[best]),
        "data_set": json.dumps(population[best], default=_plain) if crossed else "",
    }


def _plain(values) -> list:
    return np.round(values, 6).tolist()
