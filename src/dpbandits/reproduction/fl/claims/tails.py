"""FL's tail bounds: Lemma E.1, and the two behind Proposition 5.5."""

import numpy as np
from flint import arb

from dpbandits.audit.computed.balls import precision
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.proofs import require_proof


def largest_tail(k: int, c: float) -> tuple[float, float]:
    """P(max |w| > c ln k) for k standard Laplace numbers, exactly, and its bound k^(1-c)."""
    each = float(k) ** -c
    exact = -np.expm1(k * np.log1p(-each)) if each < 1 else 1.0
    return exact, float(k) ** (1 - c)


def laplace_tails(tables) -> Finding:
    """Both parts of the lemma; in the first, P(some |w_i| > C lambda) is at least its left side."""
    multiples, gaps, found = np.array([1.0001, 1.1, 1.5, 2, 3, 5, 10]), [], []
    for k in (1, 2, 3, 10, 100, 10**4, 10**6):
        exact, bound = np.transpose([largest_tail(k, c) for c in multiples])
        gaps += [*(bound - exact)]
        if k < 10**4:  # for larger k it is below 1e-9 already
            found.append(points_of(exact, at_most=bound))
        exact, bound = -np.expm1(k * np.log1p(-np.exp(-multiples))), k * np.exp(-multiples)
        found.append(points_of(exact, at_most=bound))
    require_proof(min(gaps) >= -1e-12, "Lemma E.1 on the grid")
    return Finding(numbers={"count": len(gaps), "least": max(min(gaps), 0.0)}, points=found)


def normal_maximum(count: int, level: arb) -> arb:
    """P(the largest of `count` independent |N(0, 1)| exceeds the level)."""
    return -(count * (-(level / arb(2).sqrt()).erfc()).log1p()).expm1()


@precision(256)
def gradient_tail(tables) -> Finding:
    sizes = (16, 64, 512, 4096, 2**20)
    shares = [normal_maximum(d, 2 * arb(d).log().sqrt()) * d * d / 2 for d in sizes]
    require_proof(all(share > 1 for share in shares), "FL-E2: no violation")
    repaired = np.array(sizes, float)  # 2/d, for these columns at half its level
    named = {"what": "probability / printed bound", "x": "d", "at": sizes}
    found = points_of([float(s) for s in shares], at_most=1, repaired=repaired, **named)
    text = ", ".join(f"{float(s):.3g} ($d = {d}$)" for s, d in zip(shares, sizes, strict=True))
    numbers = {"shares": text, "first": float(shares[0]), "attained": _at_16()}
    return Finding("violated", numbers, found)


def _at_16() -> float:
    """P(the largest of 16 |N(0, 1)| exceeds 2 sqrt(ln 16)) over 2/16."""
    return float(normal_maximum(16, 2 * arb(16).log().sqrt()) * 8)


@precision(256)
def clipping_tail(tables) -> Finding:
    sizes = (16, 256, 4096, 2**16, 2**20)
    chances = [normal_maximum(n, (2 * arb(n).log()).sqrt()) for n in sizes]
    pairs = list(zip(chances, sizes, strict=True))
    require_proof(all(chance > arb(1) / n for chance, n in pairs), "FL-E4: no violation")
    named = {"what": "probability times N", "x": "N", "at": sizes}
    printed = [float(c) * n for c, n in pairs]
    repaired = [float(normal_maximum(n, 2 * arb(n).log().sqrt())) * n for n in sizes]
    found = [
        points_of(printed, at_most=1, series="level as printed", **named),
        points_of(repaired, repaired=2, series="level as corrected", **named),
    ]
    numbers = {"chances": ", ".join(f"{float(c):.3f} ($N = {n}$)" for c, n in pairs)}
    numbers |= {"factor": printed[2], "attained": _at_16()}
    return Finding("violated", numbers, found)
