"""Checks of US's identities, assumptions and remarks."""

import math

import numpy as np

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.proofs import require_proof
from dpbandits.reproduction.us.exact_arithmetic import first_entries, lemma_3_1_forms


def lemma_3_1(tables) -> Finding:
    source, problems = np.random.default_rng(2025), 200
    forms = [lemma_3_1_forms(source) for _ in range(problems)]
    equal = sum(a == b and c == d for (a, b), (c, d) in forms)
    pairs = [[int(x.p) / int(x.q) for x in pair] for form in forms for pair in form]
    feature, kernel = np.array(pairs).T
    found = points_of(kernel, at_least=feature, at_most=feature)
    require_proof(equal == problems, "Lemma 3.1: the two forms differ in rational arithmetic")
    return Finding("holds", {"equal": equal, "problems": problems}, found)


def clipping(tables, claim) -> dict[str, Finding]:
    """The printed and the corrected level at T = 1, delta = 4/5."""
    left, delta = claim.sides()
    union = math.erfc(0.01 / math.sqrt(2) + math.sqrt(math.log(2 / delta))) / delta
    limits = {"at_most": [delta, math.nan], "repaired": [math.nan, delta]}
    named = {"at": ["level as printed", "level as corrected"]}
    named |= {"what": r"probability at $T=1$, $\delta=0.8$"}
    levels = points_of([left, delta * union], **limits, **named)
    return {
        "printed": Finding(numbers={"union": union, "ratio": left / delta}, points=levels),
        "T-over-delta-at-least-13": Finding(numbers={"least": 1 + math.sqrt(1 + 2 * math.log(2))}),
    }


def identically_distributed(tables) -> Finding:
    usual, surrogate = first_entries()
    laws = {"usual": usual, "surrogate": surrogate}
    texts = {name: ", ".join(f"{v} ({p})" for v, p in law.items()) for name, law in laws.items()}
    gaps = [float(abs(p - usual.get(v, 0))) for v, p in surrogate.items()]
    named = {
        "what": "difference of probabilities",
        "x": "first entry",
        "at": [*map(str, surrogate)],
    }
    return Finding(numbers=texts, points=points_of(gaps, at_most=0, **named))
