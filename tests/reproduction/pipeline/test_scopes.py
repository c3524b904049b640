"""Claims depend on the tables that they read: an edited config changes scopes and bounds, and an
added rival changes no verdict."""

import math
import tempfile
from collections.abc import Callable
from contextlib import chdir
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scratch import ROOT

from dpbandits.core.documents import read_yaml
from dpbandits.core.files import read_table
from dpbandits.reproduction.ledger.claims import claims, get_claim
from dpbandits.reproduction.ledger.points import joined
from dpbandits.reproduction.ledger.verdicts import Verdict
from dpbandits.reproduction.pipeline.jobs import table_of
from dpbandits.reproduction.pipeline.plan import Plan

GOLDEN = ROOT / "tests/golden"  # the tables of the smoke scale
WITH_RIVALS = [
    id
    for id, claim in claims().items()
    if any("algorithm" in read_table(GOLDEN / id[:2].lower() / f"{t}.csv") for t in claim.reads)
]


@cache
def golden(paper: str) -> Callable[[str], pd.DataFrame]:
    return cache(lambda name: read_table(GOLDEN / paper / f"{name}.csv"))


# edits of config/PAPER.yaml at the smoke scale, by table
SMALL = {"horizon": 120, "checkpoints": [120]}
SPARSE = SMALL | {"vary": {"true_sparsity": [5], "sparsity": [5, 8]}}
TWO_ARMS = {"linear": {"means": [0.9, 0.2]}}
SMOOTH = {"smooth": {"kernel": "se", "grid": 9}}
EPISODES = {"checkpoints": [1, 3, 7, 15, 31, 63], "horizon": 63}
EDITS = {
    "hu": {
        "fig1": {"epsilon": [0.75], "seeds": 3, "settings": TWO_ARMS},
        "fig1_long": {"epsilon": [0.75], "seeds": 3, "settings": TWO_ARMS, "horizon": 30000},
        "bounds": {"settings": {"linear": [0.9, 0.2], "equal": [0.5, 0.4, 0.4, 0.4, 0.4]}},
        "full_information": {
            "base": {"arms": 6, "gap": 0.2, "epsilon": 0.3, "horizon": 500},
            "vary": {"arms": [6], "gap": [0.2], "epsilon": [0.3, 0.7], "horizon": [500]},
        },
        "conjecture": {"arms": [6, 7, 9], "epsilon_over_gap": [0.5]},
    },
    "fl": {
        "margin": EPISODES | {"epsilon": [0.25, "inf"]},
        "margin_converged": EPISODES,
        **dict.fromkeys(("sparsity", "sparsity_others", "sparsity_private"), SPARSE),
        "arms": SMALL | {"vary": {"arms": [4, 6]}},
    },
    "us": {
        "gamma": {"horizons": [16, 32], "settings": SMOOTH},
        "error_vs_T": {"horizon": 48, "checkpoints": [12, 24, 48], "settings": SMOOTH},
        "rivals": {"horizon": 24, "checkpoints": [24], "epsilon": [2]},
        "privacy": {
            "horizons": [3],
            "settings": {"tight": {"kernel": "cosine", "tau": 0.5, "grid": 6}},
        },
    },
    "kl": {"repeated_sampling": {"times": [2, 5]}, "tightness": {"instances": 200}},
}
FOLLOWS = {  # claim, reading, field: texts that it has after the edit, and not before
    ("HU-T3", "printed", "scope"): ("0.75", "$T$ to 30000"),
    ("HU-S4.1", "printed", "scope"): ("4 panels", "to 30000"),
    ("HU-S6", "printed", "scope"): ("3 panels",),  # of those in adap_alpha
    ("HU-S6", "better than the others", "scope"): ("4 panels",),
    ("HU-S7", "ours: by RNM-FTNL itself", "scope"): (
        "$K = 6$ to 9",
        r"$\epsilon = 0.5\Delta_{\min}$",
    ),
    ("HU-T9", "printed", "measured"): ("at $K = 6$, gap 0.2", r"from $\epsilon = 0.7$ to 0.3"),
    ("FL-T5.6", "proof", "scope"): ("$T$ to 63",),
    ("FL-TAB1", "printed", "measured"): (r"$\varepsilon = 0.25$", "$K = 4$"),
    ("FL-F3L", "released", "scope"): ("$T = 120$", "$s^* = 5$"),
    ("FL-F3R", "released", "scope"): ("$T = 120$", "$K$ from 4 to 6"),
    ("FL-S6A", "ours: margin 1", "scope"): ("$K$ from 4 to 6",),
    ("US-T4.1", "printed", "measured"): ("smooth", "the runs end at 32"),
    ("US-T4.1", "exponent", "scope"): ("$T = 12$ to 48", "smooth"),
    ("US-L7.1", "printed", "scope"): ("smooth; $T$ = 16 to 32",),
    ("US-L7.2", "printed", "scope"): (r"tight; $T = 3$ to 3, $\tau = 0.5$",),
    ("US-ABS", "measured", "scope"): ("$T=24$",),
    ("KL-T1-pure", "printed", "scope"): ("2100 random and searched",),
}
BOUNDS = {  # claim: series, and the bound in its plot after the edit
    "HU-C10a": ("best action first", 512 * (1 + math.log(5)) / 0.2 + 1),
    "HU-S5-FTNL": ("best action last", 512 * (1 + math.log(5)) / (0.3 / 6) + 1),
}


@cache
def edited(paper: str) -> dict[str, pd.DataFrame]:
    """The tables of the edited entries."""
    with tempfile.TemporaryDirectory() as folder:
        config = read_yaml(ROOT / f"config/{paper}.yaml")
        for name, keys in EDITS[paper].items():
            kind = "experiments" if name in config.get("experiments", {}) else "studies"
            smoke = config[kind][name].setdefault("scales", {}).setdefault("smoke", {})
            config[kind][name]["scales"] = {"smoke": smoke | keys}
        Path(folder, "config").mkdir()
        Path(folder, f"config/{paper}.yaml").write_text(yaml.safe_dump(config))
        run = read_yaml(ROOT / "config/config.yaml") | {"scale": "smoke", "papers": [paper]}
        with chdir(folder):
            plan = Plan(run)
    return {name: table_of(plan, paper, name) for name in EDITS[paper]}


@cache
def verdicts(id: str, *, changed: bool) -> dict[str, Verdict]:
    paper = id[:2].lower()
    new = edited(paper) if changed else {}
    read = lambda name: new[name] if name in new else golden(paper)(name)  # noqa: E731
    return {verdict.reading: verdict for verdict in get_claim(id).verdicts(read)}


@pytest.mark.parametrize(("id", "reading", "field"), FOLLOWS)
def test_scopes_follow_the_config(id, reading, field):
    before, now = (getattr(verdicts(id, changed=c)[reading], field) for c in (False, True))
    for text in FOLLOWS[id, reading, field]:
        assert text in now
        assert text not in before


@pytest.mark.parametrize("id", BOUNDS)
def test_bounds_of_plots_follow_the_config(id):
    series, allowed = BOUNDS[id]
    for changed in (False, True):
        plot = joined(verdicts(id, changed=changed)["printed"].points)
        found = plot[plot["series"] == series]["at_most"]
        assert np.isclose(found, allowed).any() == changed


def with_rivals(table: pd.DataFrame) -> pd.DataFrame:
    """Each series twice more under other names, a thousand times better and worse."""
    if "algorithm" not in table:
        return table
    numbers = [name for name in ("mean", "sem", "low", "high") if name in table]
    parts = [table]
    for factor in (1e-3, 1e3):
        rival = table.assign(algorithm=[f"rival-{factor}-{name}" for name in table["algorithm"]])
        rival[numbers] *= factor
        parts.append(rival)
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize("id", WITH_RIVALS)
def test_added_rival_changes_no_verdict(id):
    read = lambda name: with_rivals(golden(id[:2].lower())(name))  # noqa: E731
    rivalled = get_claim(id).verdicts(read)
    for verdict, plain in zip(rivalled, verdicts(id, changed=False).values(), strict=True):
        for field in ("verdict", "scope", "measured", "bound", "slack", "repaired_verdict"):
            assert getattr(verdict, field) == getattr(plain, field)
        pd.testing.assert_frame_equal(joined(verdict.points), joined(plain.points))
