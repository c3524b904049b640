"""Checks of US's spectral bound, its threshold and the variance bound that rests on it."""

import math

import numpy as np

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.proofs import require_proof
from dpbandits.reproduction.us.claims.sampled import (
    beyond,
    exceedance,
    over_time,
    share_of_all,
)
from dpbandits.reproduction.us.exact_arithmetic import (
    atom_conditions,
    fixed_kernel_chance,
    hub_conditions,
    n1bar_counterexamples,
    spectral_tightness,
)

FIXED = {2**20: 798, 2**24: 3193, 2**30: 25549, 2**36: 204392, 2**42: 1635142}  # T: J
CHANCE = f"{math.floor(100 * min(map(fixed_kernel_chance, FIXED.values()))) / 100:.2f}"


def lemma_4_4(tables, claim) -> dict[str, Finding]:
    table = tables("spectral")
    hub, atoms = hub_conditions(), atom_conditions()
    rows = table[table["norm"] == "relative norm"]
    tight = {"relative": spectral_tightness(), "seen": (rows["largest"] / rows["bound"]).max()}
    tight |= {"exceed": rows["exceed"].sum(), "runs": rows["runs"].sum()}
    what = rf"norm at least, with $P\geq{hub['chance']:.3f}$"
    norm = beyond(claim.sides(), "$n=2000$, $T=40000$", what)
    largest, bound = (side - 1 for side in claim.sides("spectrum"))
    limits = {"at_most": bound, "repaired": atoms["repaired"]}
    limits |= {"what": rf"deviation at least, with $P\geq{atoms['chance']:.3f}$"}
    deviation = points_of([largest], **limits, at=[r"$n=10^6$, $\tau=4$"])
    return {
        "printed": Finding(numbers=hub | tight | _sampled_norm(table), points=norm),
        "spectrum": Finding(
            numbers=atoms | tight | {"miss": 1 - atoms["chance"]}, points=deviation
        ),
        "fixed-kernel": fixed_kernel(claim, "fixed-kernel", FIXED, tight),
    }


def fixed_kernel(claim, reading: str, horizons: dict[int, int], numbers: dict) -> Finding:
    """The bounds on the circle at several T; the text of the ledger lists all but T = 2^30, which
    the certificate has."""
    pairs = {t: claim.sides(reading, T=t, J=j) for t, j in horizons.items()}
    others = [pair for t, pair in pairs.items() if t != 2**30]
    numbers = numbers | {"chance": min(map(fixed_kernel_chance, horizons.values()))}
    for i, name in enumerate(("norms", "bounds")):
        numbers[name] = ", ".join(f"{pair[i]:.3g}" for pair in others)
    left, right = zip(*pairs.values(), strict=True)
    named = {"what": f"norm, at least, with probability {CHANCE}", "x": "$T$", "at": [*pairs]}
    return Finding(numbers=numbers, points=points_of(left, at_most=right, **named))


def _sampled_norm(data) -> dict[str, str]:
    """The point with the largest quotient of sampled norm and bound, of those that meet the lemma's
    conditions: in full, and in short."""
    rows = data[data["norm"] == "operator norm"]
    rows = rows[(rows["condition"] <= 0.25) & (rows["t"] > rows["n1bar"])]
    if rows.empty:
        return dict.fromkeys(("sampled", "drawn"), "no point of the table meets the conditions")
    at = rows.loc[(rows["mean"] / rows["bound"]).idxmax()]
    where, above = f"{at['setting']}, $T={at['t']}$", f"{at['exceed']} of {at['runs']} runs above"
    means = f"mean {at['mean']:.3f}, bound {at['bound']:.3f}"
    full = rf"{where} ($\bar N_1={at['n1bar']:.0f}$): {above} ({means})"
    return {"sampled": full, "drawn": f"{where}: {means}"}


def n1bar(tables) -> Finding:
    cases, names = n1bar_counterexamples(), {"n1bar": "n", "T": "t", "tau": "tau", "value": "value"}
    numbers = {f"{new}{i}": c[old] for i, c in enumerate(cases, 1) for old, new in names.items()}
    what = r"$\sqrt{\gamma_T\ln(1/\delta)/(T\tau)}$ at least, at a $T$ above $\bar N_1$"
    values, forms = ([case[key] for case in cases] for key in ("value", "form"))
    return Finding(numbers=numbers, points=points_of(values, at_most=0.25, what=what, at=forms))


def lemma_7_1(tables) -> dict[str, Finding]:
    """printed: all runs; where-proved: those with (1 - b) tau ln(1 + 1/tau) >= 26/81."""
    data = tables("gamma")
    contradicted, numbers = exceedance(data)
    require_proof(not contradicted, "Lemma 7.1: too many runs are above its bound")
    finite = data[np.isfinite(data["repaired"])]
    numbers["closest"] = (finite["largest"] / finite["repaired"]).max()
    one_minus_b = finite["largest_known"] / finite["repaired"]
    proved = one_minus_b * finite["tau"] * np.log1p(1 / finite["tau"]) >= 26 / 81
    return {
        "printed": Finding("holds", numbers, (over_time(data), share_of_all(data))),
        "where-proved": Finding(points=over_time(finite[proved])),
    }


def quoted_step(tables) -> dict[str, Finding]:
    """tau-large: the runs."""
    data = tables("gamma")
    printed = 54 * data["F"] ** 2 * data["gamma"] / (13 * data["t"])
    return {"tau-large": Finding(points=points_of(data["largest_known"], at_most=printed))}
