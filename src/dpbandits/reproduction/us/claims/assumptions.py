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


def posterior_is_sensitive(tables) -> Finding:
    """How far mu_T(v) moves as the reward at v turns from 1 to -1, the T - 1 other records being at
    one other point; tau = 1, kappa = 1/4."""
    rounds = np.array([2, 10**2, 10**4, 10**6])
    variance = 1 - 0.25 / (1 + 1 / (rounds - 1))  # at v, given the other records
    axes = ("$T$", r"move of $\mu_T(v)$, $|y|=\tau=1$, $\kappa=1/4$")
    moved = 2 * variance / (1 + variance)
    return Finding(points=points(rounds, moved, at_least=2 * 0.75 / 1.75, axes=axes, log="x"))


def growing_eigenfunctions(tables) -> Finding:
    degrees = np.array([1, 10, 100, 1000, 10_000])
    axes = ("$j$", r"$\psi_j(1)^2$; dashed: $j=0$")
    return Finding(points=points(degrees, 2 * degrees + 1, at_most=1, axes=axes, log="xy"))


def clipping(tables) -> dict[str, Finding]:
    """The printed and the corrected level at T = 1, delta = 4/5; then the union bound."""
    left, delta = sides("US-A2.7")
    union = math.erfc(0.01 / math.sqrt(2) + math.sqrt(math.log(2 / delta))) / delta
    ratios = np.array([13, 20, 50, 100, 1000, 10_000])
    bound = 2 * ratios * np.exp(-(np.log(ratios) ** 2) / 2)
    limits = {"at_most": [delta, math.nan], "repaired": [math.nan, delta]}
    axes = ("", r"probability at $T=1$, $\delta=0.8$")
    names = ["level as printed", "level as corrected"]
    levels = points(names, [left, delta * union], **limits, axes=axes)
    axes = (r"$T/\delta$", r"union bound / $\delta$")
    return {
        "printed": Finding(numbers={"union": union, "ratio": left / delta}, points=levels),
        "T-over-delta-at-least-13": Finding(
            numbers={"least": 1 + math.sqrt(1 + 2 * math.log(2))},
            points=points(ratios, bound, at_most=1, axes=axes, log="xy"),
        ),
    }


def growing_slopes(tables) -> Finding:
    widths = ("1", "10**-6", "10**-13")
    slopes = [sides("US-A2.8", h=h)[0] for h in widths]
    names = ["$h=1$", "$h=10^{-6}$", "$h=10^{-13}$"]
    return Finding(points=points(names, slopes, at_most=1e6, axes=("", "slope"), log="y"))


def identically_distributed(tables) -> Finding:
    usual, surrogate = first_entries()
    laws = {"usual": usual, "surrogate": surrogate}
    texts = {name: ", ".join(f"{v} ({p})" for v, p in law.items()) for name, law in laws.items()}
    gaps = [float(abs(p - usual.get(v, 0))) for v, p in surrogate.items()]
    axes = ("first entry", "difference of probabilities")
    return Finding(numbers=texts, points=points(map(str, surrogate), gaps, at_most=0, axes=axes))
