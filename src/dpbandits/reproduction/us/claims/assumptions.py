"""Checks of US's identities, assumptions and remarks."""

import math

import numpy as np

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points
from dpbandits.reproduction.proofs import require_proof
from dpbandits.reproduction.us.claims.sampled import sides
from dpbandits.reproduction.us.exact_arithmetic import first_entries, lemma_3_1_forms


def lemma_3_1(tables) -> Finding:
    source, problems = np.random.default_rng(2025), 200
    forms = [lemma_3_1_forms(source) for _ in range(problems)]
    equal = sum(a == b and c == d for (a, b), (c, d) in forms)
    plots, axes = [], ("feature form", "kernel form")
    for i, (name, log) in enumerate(((r"$\bar\mu$", ""), (r"$\bar\sigma^2$", "xy"))):
        feature, kernel = np.array([[int(x.p) / int(x.q) for x in form[i]] for form in forms]).T
        limits = {"at_least": feature, "at_most": feature}
        panel = f"{name}, {problems} problems"
        plots.append(points(feature, kernel, **limits, panel=panel, axes=axes, log=log))
    require_proof(equal == problems, "Lemma 3.1: the two forms differ in rational arithmetic")
    return Finding("holds", {"equal": equal, "problems": problems}, plots)


def clipping(tables) -> dict[str, Finding]:
    """The printed and the corrected level at T = 1, delta = 4/5."""
    left, delta = sides("US-A2.7")
    union = math.erfc(0.01 / math.sqrt(2) + math.sqrt(math.log(2 / delta))) / delta
    limits = {"at_most": [delta, math.nan], "repaired": [math.nan, delta]}
    axes = ("", r"probability at $T=1$, $\delta=0.8$")
    names = ["level as printed", "level as corrected"]
    levels = points(names, [left, delta * union], **limits, axes=axes)
    return {
        "printed": Finding(numbers={"union": union, "ratio": left / delta}, points=levels),
        "T-over-delta-at-least-13": Finding(numbers={"least": 1 + math.sqrt(1 + 2 * math.log(2))}),
    }


def identically_distributed(tables) -> Finding:
    usual, surrogate = first_entries()
    laws = {"usual": usual, "surrogate": surrogate}
    texts = {name: ", ".join(f"{v} ({p})" for v, p in law.items()) for name, law in laws.items()}
    gaps = [float(abs(p - usual.get(v, 0))) for v, p in surrogate.items()]
    axes = ("first entry", "difference of probabilities")
    return Finding(numbers=texts, points=points(map(str, surrogate), gaps, at_most=0, axes=axes))
