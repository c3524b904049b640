"""One search against every bound: the corrected ones (kl/attacks), the printed (kl/tightness)."""

import json

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.maximise import maximise
from dpbandits.core.models import Model
from dpbandits.core.streams import Streams, key_of
from dpbandits.reproduction.kl.attacks import bandit, general, linear, preference
from dpbandits.reproduction.studies import study

CORRECTED = tuple(x for of in (general, bandit, linear, preference) for x in of.CORRECTED)
PRINTED = tuple(x for of in (bandit, linear, preference) for x in of.PRINTED)
LARGE = 1e300  # infinite ratios (a printed delta that underflows) have quantiles, too


class Attacks(Model):
    instances: int = Field(100_000, ge=200)  # per bound and family; fewer where each is slow
    seed: int = 0


def _found(table: str, targets, params: Attacks):
    """(attack, what it found, the instance of the largest ratio) of each."""
    for place, target in enumerate(targets):
        generator = Streams(key_of(table, target.bound, place), (params.seed,)).generator(0)
        budget = params.instances // target.cost
        found = maximise(target.value, target.size, budget, generator, tolerance=target.tolerance)
        yield target, found, target.instance(found.row)


@study("kl/attacks", params=Attacks)
def attacks(params: Attacks) -> pd.DataFrame:
    rows = [
        (of.bound, data.get("d", 0), found.instances, found.value, found.crossed, json.dumps(data))
        for of, found, data in _found("kl/attacks", CORRECTED, params)
    ]
    columns = ["bound", "dimension", "instances", "ratio", "crossed", "instance"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values("bound", key=lambda bound: bound.str.startswith("T4"), kind="stable")


@study("kl/tightness", params=Attacks)
def tightness(params: Attacks) -> pd.DataFrame:
    """Per printed bound: instances drawn at random, then those of the climb from the best."""
    rows = []
    for target, found, instance in _found("kl/tightness", PRINTED, params):
        dimension = f", d = {instance['d']}" if "d" in instance else ""
        for family, ratios in (("random", found.drawn), ("climbing", found.climbed)):
            crossed, worst = int((ratios > 1 + target.tolerance).sum()), float(ratios.max())
            shown = json.dumps(instance) if crossed and worst == found.value else ""
            q95 = float(np.quantile(np.minimum(ratios, LARGE), 0.95))
            known = target.bound, family + dimension, len(ratios), crossed
            rows.append((*known, q95, worst, shown))
    columns = ["claim", "family", "data_sets", "crossed", "q95", "worst", "data_set"]
    return pd.DataFrame(rows, columns=columns)
