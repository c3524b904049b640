"""kl/attacks: how near to equality a search brings each repaired bound, and if it crosses one."""

import json

import pandas as pd
from pydantic import Field

from dpbandits.core.attack import attack
from dpbandits.core.models import Model
from dpbandits.core.streams import Streams, key_of
from dpbandits.reproduction.kl.attacks import bandit as bandit
from dpbandits.reproduction.kl.attacks import linear as linear
from dpbandits.reproduction.kl.attacks import preference as preference
from dpbandits.reproduction.kl.attacks import search as general
from dpbandits.reproduction.studies import study

TOLERANCE = 1e-6  # scores of size 1e4 and Newton's last step leave this much of a small loss
ATTACKS = (*general.ATTACKS, *bandit.ATTACKS, *linear.ATTACKS, *preference.ATTACKS)


class Attacks(Model):
    instances: int = Field(100_000, ge=200)  # per bound and family; fewer where each is slow
    seed: int = 0


@study("kl/attacks", params=Attacks)
def attacks(params: Attacks) -> pd.DataFrame:
    rows = []
    for place, target in enumerate(ATTACKS):
        key = key_of("kl/attacks", target.bound, place)
        generator = Streams(key, (params.seed,)).generator(0)
        budget = params.instances // target.cost
        found = attack(target.ratio, target.size, budget, generator, tolerance=TOLERANCE)
        instance = target.instance(found.row)
        rows.append(
            {
                "bound": target.bound,
                "dimension": instance.get("d", 0),
                "instances": found.instances,
                "ratio": found.value,
                "crossed": found.crossed,
                "instance": json.dumps(instance),
            }
        )
    rows.sort(key=lambda row: row["bound"].startswith("T4"))  # theorem by theorem
    return pd.DataFrame(rows)
