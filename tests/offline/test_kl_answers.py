"""What KL's engines, audits, bounds and calibrations answer on small cases: every number and word.

It does not say that an answer is right (the other files of this folder do, by another way each);
it says that none changes unnoticed, a looser bound, a worse search or another row included. After
a change that is meant: `python tests/offline/test_kl_answers.py` writes answers.json anew (a few
seconds). Look at the difference.
"""

import contextlib
import importlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path

import dpbandits  # noqa: F401  before NumPy, also where this file is run

# isort: split
import numpy as np
import pytest

from dpbandits.cli import main
from dpbandits.core.algorithms import get_study
from dpbandits.core.divergences import log_normalise, pure_epsilon
from dpbandits.core.registry import modules_in
from dpbandits.offline.engine import attack
from dpbandits.offline.engine.search import maximise, starts_in_ball
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.linear import boxes, swaps
from dpbandits.offline.linear import counterexamples as linear_counterexamples
from dpbandits.offline.linear.certificate import AdditionCertificate, rounding
from dpbandits.offline.linear.loss import LinearAudit
from dpbandits.offline.linear.perturbation import PerturbedRidge
from dpbandits.offline.mechanisms import calibration, feature_calibration, inputs
from dpbandits.offline.mechanisms.theorems import linear_bounds, preference_bounds
from dpbandits.offline.preference import boxes as preference_boxes
from dpbandits.offline.preference import counterexamples as preference_counterexamples
from dpbandits.offline.preference.certificate import PreferenceCertificate
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.preference.perturbation import ObjectivePerturbation
from dpbandits.offline.problem import Preferences, draw_preferences
from dpbandits.offline.studies import attacks, loss_vs, tightness
from dpbandits.offline.studies.counterexamples import COUNTEREXAMPLES

ANSWERS = Path(__file__).with_name("answers.json")
EPSILONS = (0.05, 0.5)


def vectors(generator, count, dimension, length=1.0):
    return starts_in_ball(dimension, length, np.zeros((0, dimension)), count, generator)


# --- linear -----------------------------------------------------------------------------------
def line(seed, d, n, m, beta0=0.7, excluded=0, **more):
    generator = np.random.default_rng(seed)
    reference = np.log(generator.dirichlet(np.ones(m)))
    reference[:excluded] = -np.inf
    top = more.get("reward_max", 1.0)
    settings = {"eta": 0.2, "penalty": 1.0, "log_reference": reference} | more
    x, r, a = vectors(generator, n, d), top * generator.random(n), vectors(generator, m, d)
    return LinearAudit(x, r, a, beta0=beta0, **settings)


LINES = {
    "one dimension": (1, 1, 12, 3),
    "the mean alone": (2, 2, 20, 4, 0.0),
    "an excluded action": (3, 3, 30, 5, 2.0, 1),
    "many actions": (4, 3, 40, 12, 0.5),
    "more pairs than get eigenvalues": (5, 2, 15, 40, 0.3),
    "six dimensions": (6, 6, 50, 6, 1.5, 2),
    "a sharp policy": (7, 2, 9, 3, 0.2),
}
MORE = {
    "an excluded action": {"reward_max": 2.0, "penalty": 0.3},
    "a sharp policy": {"eta": 0.005},
}


def certified_line(name):
    audit = line(*LINES[name], **MORE.get(name, {}))
    own = AdditionCertificate(audit)
    other = AdditionCertificate(audit.without(0), seen_from=audit.log_pi, first=2)
    carried = swaps._Carried(audit).bounds(list(EPSILONS))
    return {
        "forth": own.ratios.forth, "back": own.ratios.back, "spread": own.spread,
        "delta": [own.delta(e) for e in EPSILONS], "points": np.abs(own.points).sum(axis=0),
        "other": [other.ratios.forth, other.ratios.back, [other.delta(e) for e in EPSILONS]],
        "carried": carried[:4], "carried, most": carried.max(axis=0), "rounding": rounding(audit),
    }  # fmt: skip


def boxed_line(name):
    """Without the found addition: as if a tenth less had been attained."""
    audit, added = line(*LINES[name], **MORE.get(name, {})), Worst(EPSILONS)
    audit.additions(added)
    found = {None: added.pure, **added.delta}
    bounds = [boxes.certified_additions(audit, 0.9 * v, e) for e, v in found.items()]
    return {"attained": list(found.values()), "neighbours": added.found(), "bounds": bounds}


def swapped_line(name):
    audit, worst = line(*LINES[name], **MORE.get(name, {})), Worst(EPSILONS)
    bounds = swaps.swaps(audit, worst)
    return {"bounds": list(bounds.values()), "neighbours": worst.found(), "pure": worst.pure}


# --- preferences ------------------------------------------------------------------------------
def duel(seed, d, n, m, radius, beta0=0.7, excluded=0, long=2.0):
    generator = np.random.default_rng(seed)
    reference = np.log(generator.dirichlet(np.ones(m)))
    reference[:excluded] = -np.inf
    data = Preferences(vectors(generator, n, d, long))
    own = {"eta": 0.2, "penalty": 1.0, "radius": radius, "log_reference": reference}
    return PreferenceAudit(data, vectors(generator, m, d), beta0=beta0, **own)


DUELS = {
    "inside": (1, 1, 60, 3, 3.0),
    "it may reach the surface": (2, 2, 80, 4, 0.13, 0.0),
    "on the surface, and it stays": (9, 2, 300, 4, 0.12),
    "on the surface, it may leave": (4, 2, 60, 4, 0.5, 1.5, 1),
    "too few records": (5, 2, 3, 3, 1.0),
    "three dimensions": (7, 3, 60, 4, 2.0, 2.0, 1),
    "without a ball": (6, 3, 90, 5, np.inf),
}


def certified_duel(name):
    audit = duel(*DUELS[name])
    own = PreferenceCertificate(audit)
    other = PreferenceCertificate(audit, seen_from=log_normalise(audit.log_pi / 2))
    return {
        "forth": own.ratios.forth, "back": own.ratios.back, "moved": own.moved,
        "near": own.near, "slack": own.slack, "delta": [own.delta(e) for e in EPSILONS],
        "spread": own.spread if np.isfinite(own.near) else [],
        "seen from": [other.ratios.forth, other.ratios.back, other.delta(0.05)],
        "gradient": audit.gradient_and_hessian()[0] if np.isfinite(own.near) else [],
    }  # fmt: skip


def boxed_duel(name):
    audit = duel(*DUELS[name])
    policies = audit.changed(2.0 * audit.actions[:, None, :], np.ones((len(audit.actions), 1)))
    found = pure_epsilon(audit.log_pi, policies).max()
    return [preference_boxes.certified_additions(audit, found),
            preference_boxes.certified_additions(audit, found / 9, found / 2)]  # fmt: skip


# --- the command ------------------------------------------------------------------------------
FILES = {
    "arms": "arm,reward\n" + "0,1\n0,0\n0,1\n1,0\n1,1\n1,0\n1,0\n2,0.5\n2,0.25\n" * 2,
    "named": "arm,reward\n" + "red,1\nred,0\nblue,1\nblue,0.5\ngreen,1\n",
    "prior": "arm,weight\nblue,2\nred,1\ngreen,0\n",
    "lone": "arm,reward\n0,1\n0,0\n1,1\n",
    "x": "x1,x2,reward\n" + "1,0,1\n0.5,-0.5,0\n-1,0,1\n0,1,0.25\n" * 3,
    "many": "x1,reward\n" + "1,1\n" * 99,
    "z": "x1,x2,label\n" + "1,0,1\n2,0,0\n0,1.5,1\n1,1,0\n" * 3,
    "even": "x1,label\n" + "2,1\n2,0\n" * 10,
    "a2": "x1,x2,weight\n1,0,1\n0,1,2\n-0.6,0.8,1\n",
    "a1": "x1\n1\n-1\n",
    "a0": "x1\n1\n0\n",
}
SETTINGS = ("--at-epsilon", "0,0.1,3", "--set", "eta=0.5", "beta0=0.5")
ARMS, DATA_2 = ("kl-mab", "--data", "arms"), ("--data", "x", "--actions", "a2")
DUELS_2, EVEN = ("--data", "z", "--actions", "a2"), ("--data", "even", "--actions", "a1")
NAMED = ("kl-mab", "--data", "named", "--reference", "prior")
ASKED = {
    "audit kl-mab": ("audit", *ARMS, *SETTINGS),
    "audit kl-mab, swaps": ("audit", *ARMS, *SETTINGS, "neighbours=swap"),
    "audit kl-mab, names": ("audit", *NAMED, *SETTINGS),
    "audit kl-mab, a larger reward": ("audit", *ARMS, *SETTINGS, "reward_max=2"),
    "audit kl-linear": ("audit", "kl-linear", *DATA_2, *SETTINGS),
    "audit kl-linear, removals": ("audit", "kl-linear", *DATA_2, *SETTINGS, "neighbours=remove"),
    "audit kl-linear, swaps": ("audit", "kl-linear", *DATA_2, *SETTINGS, "neighbours=swap"),
    "audit kl-rlhf": ("audit", "kl-rlhf", *DUELS_2, *SETTINGS, "B=1"),
    "audit kl-rlhf, flips": ("audit", "kl-rlhf", *EVEN, *SETTINGS, "B=1", "neighbours=flip"),
    "audit kl-rlhf, no ball": ("audit", "kl-rlhf", *EVEN, *SETTINGS, "B=inf"),
    "audit kl-rlhf, swaps": ("audit", "kl-rlhf", *EVEN, *SETTINGS, "B=0.5", "neighbours=swap"),
    "bound kl-mab": ("bound", *ARMS, *SETTINGS),
    "bound kl-mab, one record": ("bound", "kl-mab", "--data", "lone", *SETTINGS),
    "bound kl-mab, names": ("bound", *NAMED, "--set", "eta=0.5", "beta0=9", "--at-epsilon", "4,9"),
    "bound kl-linear": ("bound", "kl-linear", *DATA_2, *SETTINGS),
    "bound kl-linear, covered": ("bound", "kl-linear", "--data", "many", "--actions", "a0", "--set",
                                 "eta=0.02", "beta0=11", "--at-epsilon", "0.5,2,9"),
    "bound kl-rlhf": ("bound", "kl-rlhf", *EVEN, *SETTINGS, "B=0.5"),
    "bound kl-rlhf, flips": ("bound", "kl-rlhf", *EVEN, *SETTINGS, "B=0.5", "neighbours=flip"),
    "calibrate kl-mab": ("calibrate", *ARMS, "--target-epsilon", "0.5"),
    "calibrate kl-mab, delta": ("calibrate", *ARMS, "--target-epsilon", "0.1", "--target-delta",
                                "0.01", "--set", "beta0=1"),
    "calibrate kl-mab, J": ("calibrate", *ARMS, "--target-epsilon", "2", "--set",
                            "objective_eta=0.3", "neighbours=remove"),
    "calibrate kl-linear": ("calibrate", "kl-linear", *DATA_2, "--target-epsilon", "0.5", "--set",
                            "neighbours=remove", "objective_eta=0.1"),
    "calibrate kl-rlhf": ("calibrate", "kl-rlhf", *EVEN, "--target-epsilon", "0.2", "--set", "B=1",
                          "neighbours=flip", "beta0=0.5", "--target-delta", "0.05"),
}  # fmt: skip


def asked(name):
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
        for file, text in FILES.items():
            (Path(folder) / file).write_text(text, encoding="utf-8")
        here = os.getcwd()
        os.chdir(folder)
        try:
            assert main([*ASKED[name], "--json"]) == 0
        finally:
            os.chdir(here)
    return json.loads(out.getvalue())


# --- the rest ---------------------------------------------------------------------------------
def theorems():
    audits = [line(*LINES[name], **MORE.get(name, {})) for name in LINES]
    found = [linear_bounds(a, kinds) for a in audits for kinds in ({"add"}, {"swap"})]
    audits = [duel(*DUELS[name]) for name in DUELS]
    found += [
        preference_bounds(a, kinds) for a in audits for kinds in ({"add"}, {"swap"}, {"flip"})
    ]
    return [[b.pure, b.name, [b.delta(e) for e in (0.1, 2.0)]] for b in found]


def searches():
    """Where they start, and how far a short one comes: later rounds hide its numbers."""

    def steep(points):
        return -np.abs(points - 0.3).sum(axis=1)

    starts = line(*LINES["the mean alone"]), duel(*DUELS["inside"])
    short = [maximise(steep, np.zeros((9, 3)), r, "label", rounds=3) for r in (1.0, (2, 1.5))]
    usual = [maximise(steep, np.zeros((9, 3)), 1.0, "label", rounds=n) for n in (30, 60)]
    return [*(audit.starting_points()[::7] for audit in starts), *short, *usual]


def attacked(name):
    """True value over bound at a few instances of each attack of a theorem, and one instance."""
    found = {}
    for i, target in attacks._targets(name):
        rows = np.random.default_rng(i).standard_normal((6, target.size))
        with np.errstate(all="ignore"):
            ratios = np.nan_to_num(target.ratio(rows))
        found[f"{i} {target.bound}"] = [ratios, target.told(rows[0])]
    return found


def box_tolerances():
    """What is added where all boxes are dropped at once: 50 is attained already."""
    lines = [line(1, d, 9, 3) for d in (1, 2, 3)]
    found = [boxes.certified_additions(a, 50.0, e) - 50.0 for a in lines for e in (None, 0.5)]
    return [*found, preference_boxes.certified_additions(duel(*DUELS["inside"]), 50.0) - 50.0]


def limits():
    """How far is searched, and from where on what is done: the constants of the modules."""
    found = {
        f"{module.removeprefix('dpbandits.offline.')}.{name}": value
        for folder in ("bandit", "engine", "linear", "mechanisms", "preference", "studies")
        for module in ["dpbandits.offline.rivals", *modules_in(f"dpbandits.offline.{folder}")]
        for name, value in vars(importlib.import_module(module)).items()
        if name.isupper()
    }
    arrays = {k: [len(v), *v[:20]] for k, v in found.items() if isinstance(v, np.ndarray)}
    numbers = {k: v for k, v in found.items() if isinstance(v, (int, float)) and k not in CUT}
    return numbers | arrays


def models():
    """Keys, defaults and ranges of every parameter, without their prose."""

    def plain(schema):
        if isinstance(schema, dict):
            kept = {k: v for k, v in schema.items() if k not in ("description", "title")}
            return {key: plain(value) for key, value in kept.items()}
        return [plain(x) for x in schema] if isinstance(schema, list) else schema

    names = ("attacks", "choice", "delta_curves", "loss_vs", "repeated_sampling", "tightness")
    params = [get_study(f"kl/{name}").params for name in (*names, "utility_vs_privacy")]
    params += [inputs.BanditAudit, inputs.LinearParams, inputs.PreferenceParams]
    params += [calibration.BanditTarget, feature_calibration.LinearTarget]
    params += [feature_calibration.PreferenceTarget]
    return {model.__name__: plain(model.model_json_schema()) for model in params}


def small_attack():
    target = attack.Attack("toy", 3, lambda x: -np.abs(x - 0.3).sum(axis=1), None)
    found = attack.attack(target, 9000, -0.5, np.random.default_rng(0))
    return [found.ratio, found.crossed, found.instances, found.row]


def small_points():
    base = {"n": 12, "eta": 0.5, "beta0": 0.5, "coverage": 0.5, "actions": 2, "B": 0.5}
    varied = {"bandit": ("n", (9, 12)), "linear": ("coverage", (0.25,)), "rlhf": ("n", (10,))}
    rows = loss_vs.loss_vs(
        loss_vs.LossVs(
            base={p: base | {"dimension": 1, "penalty": 2.0} for p in varied},
            vary={p: dict([pair]) for p, pair in varied.items()},
            draws=2,
        )
    )
    return rows.drop(columns=["data_sets"]).to_numpy().tolist()


def small_families():
    """Two data sets of each family, one changed, and all their ratios."""
    found = {}
    for name, family in tightness.FAMILIES.items():
        generator = np.random.default_rng(4)
        drawn = [family.draw(generator) for _ in range(3)]
        data = [*drawn, family.mutate(drawn[0], generator)]
        sizes = [float(np.sum(np.abs(v))) for one in data for v in one.values()]
        found[name] = [sizes, family.evaluate(data)]
    lines = tightness.FAMILIES["linear"]
    kinds = [make(np.random.default_rng(5)) for make in (lines.draw_tie, lines.draw_lone)]
    return found | {"ties and lone": [float(np.sum(v)) for one in kinds for v in one.values()]}


def noisy_policies():
    angles = np.array([0.1, 1.3, 2.9, 4.6])
    x = vectors(np.random.default_rng(5), 9, 2)
    sigmas = np.stack([x.T @ x + np.eye(2), x.T @ x + 2 * np.eye(2)])
    responses = np.stack([x.sum(axis=0), 2 * x.sum(axis=0)])
    ridges = [PerturbedRidge(angles, sigmas, responses, kind) for kind in ("output", "objective")]
    data = draw_preferences(9, np.array([0.6, 0.3]), 0.5, np.random.default_rng(3)).signed
    duels = ObjectivePerturbation(data, angles, 0.5)
    changes = data[:2], np.array([-1.0, 1.0])
    return [
        *(ridge.log_policies(noise) for ridge in ridges for noise in (0.05, 2.0)),
        *(ridge.loss(0.5)[0] for ridge in ridges),
        *(duels.log_policies(noise, *changes) for noise in (0.2, 5.0)),
    ]


def crossed(name):
    """A counterexample: its numbers, and both sides of every step of the printed proof."""
    found = CROSSINGS[name]()
    sides = [x for x in (found.measured, found.allowed, found.epsilon) if x is not None]
    return {
        "numbers": [float(x.mid()) for x in sides],
        "steps": [[s.text, float(s.left.mid()), float(s.right.mid())] for s in found.steps],
        "repaired": [[float(b.epsilon), float(b.delta)] for b in found.repaired[:6]],
        "pair": [[float(x.mid()) for x in side] for side in found.pair or ()],
    }


CROSSINGS = COUNTEREXAMPLES | {
    "KL-C21": linear_counterexamples.addition_step,
    "KL-D30": preference_counterexamples.bilinear_step,
    "KL-S4.3": preference_counterexamples.no_zero_gradient,
}
MAKERS = (
    {f"linear, {name}": (certified_line, name) for name in LINES}
    | {f"linear boxes, {name}": (boxed_line, name) for name in [*LINES][:2]}
    | {f"linear swaps, {name}": (swapped_line, name) for name in [*LINES][:2]}
    | {f"preferences, {name}": (certified_duel, name) for name in DUELS}
    | {f"preference boxes, {name}": (boxed_duel, name) for name in [*DUELS][:-1]}
    | {name: (asked, name) for name in ASKED}
    | {f"crossing {name}": (crossed, name) for name in CROSSINGS}
    | {f"attacks, {name}": (attacked, name) for name in ("others", "T3", "T4")}
    | {"box tolerances": (box_tolerances,), "limits": (limits,), "models": (models,)}
    | {"a small attack": (small_attack,), "points of loss_vs": (small_points,)}
    | {"families": (small_families,)}
    | {"theorems": (theorems,), "searches": (searches,), "noisy policies": (noisy_policies,)}
)  # fmt: skip


def answer(name):
    make, *arguments = MAKERS[name]
    return json.loads(json.dumps(make(*arguments), default=np.ndarray.tolist))


def compare(found, expected, where):
    assert type(found) is type(expected), where
    if isinstance(found, dict):
        assert found.keys() == expected.keys(), where
        for key in found:
            compare(found[key], expected[key], f"{where}: {key}")
    elif isinstance(found, list):
        assert len(found) == len(expected), where
        for i, pair in enumerate(zip(found, expected, strict=True)):
            compare(*pair, f"{where}[{i}]")
    elif isinstance(found, float):
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-300, nan_ok=True), where
    else:
        assert found == expected, where


GOLDEN = json.loads(ANSWERS.read_text(encoding="utf-8")) if ANSWERS.is_file() else {}


def test_no_answer_is_to_a_question_that_is_no_more():
    assert set(GOLDEN) == set(MAKERS)


@pytest.mark.parametrize("name", MAKERS)
def test_the_answer_is_the_known_one(name):
    compare(answer(name), GOLDEN[name], name)


CUT = {  # what is held in memory at once: modules, names
    "linear.loss.CELLS": 7, "linear.swaps.CELLS": 7, "preference.mle.CELLS": 100,
    "preference.certificate.CELLS": 200, "preference.boxes.CACHED": 50, "engine.attack.CHUNK": 5,
    "linear.perturbation.BLOCK": 1,
}  # fmt: skip
CUT_ANSWERS = (
    *("linear, one dimension", "linear, many actions", "linear swaps, the mean alone"),
    *("preferences, three dimensions", "preference boxes, inside", "audit kl-linear, removals"),
    *("audit kl-rlhf, flips", "audit kl-rlhf, swaps", "a small attack", "noisy policies"),
)


@pytest.mark.parametrize("name", CUT_ANSWERS)
def test_no_answer_depends_on_how_work_is_cut(name, monkeypatch):
    for place, few in CUT.items():
        monkeypatch.setattr(f"dpbandits.offline.{place}", few)
    compare(answer(name), GOLDEN[name], name)


def rounded(found):
    """What is written: nine digits."""
    if isinstance(found, dict):
        return {key: rounded(value) for key, value in found.items()}
    if isinstance(found, list):
        return [rounded(value) for value in found]
    return float(f"{found:.9g}") if isinstance(found, float) else found


if __name__ == "__main__":
    lines = [f"{json.dumps(n)}: {json.dumps(rounded(answer(n)))}" for n in MAKERS]
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    sys.exit(0)
