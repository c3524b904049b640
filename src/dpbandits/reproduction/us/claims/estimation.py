"""Checks of the distances between mubar, the posterior mean and f."""

from fractions import Fraction

import numpy as np

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.proofs import require_proof
from dpbandits.reproduction.statistics import fit_power, quantile
from dpbandits.reproduction.us.claims.sampled import (
    beyond,
    exceedance,
    numbers_of,
    over_time,
)
from dpbandits.reproduction.us.claims.spectral import FIXED, fixed_kernel
from dpbandits.reproduction.us.exact_arithmetic import two_point_errors
from dpbandits.reproduction.us.theory import (
    Effective,
    corrected_difference,
    corrected_uniform_error,
)


def lemma_4_3(tables, claim) -> dict[str, Finding]:
    rows = _rows(tables, "mubar - f")
    contradicted, numbers = exceedance(rows)
    require_proof(not contradicted, "Lemma 4.3 for beta_p > 4/3: too many runs are above it")
    numbers |= _closest(rows)
    share = rows["mean"] / np.sqrt(rows["gamma"] / rows["t"])
    order = {"least": share.min(), "most": share.max(), "power": _largest_growth(rows)}
    return {
        "printed": _rare(claim.sides(), rows, corrected_uniform_error),
        "beta-above-4/3": Finding("holds", numbers, over_time(rows)),
        "order": Finding(numbers=numbers | order),
    }


def lemma_6_2(tables, claim) -> dict[str, Finding]:
    rows, omitted = _rows(tables, "mubar - mu_T"), "with-omitted-hypothesis"
    return {
        "printed": Finding(numbers=_closest(rows)),
        omitted: _rare(claim.sides(omitted), rows, corrected_difference),
    }


def _rows(tables, quantity: str):
    data = tables("estimation_error")
    return data[data["quantity"] == quantity]


def _closest(rows) -> dict:
    """Largest observed value over the corrected bound, where that is finite."""
    finite = rows[np.isfinite(rows["repaired"])]
    if finite.empty:
        return {"closest": r"not searched: $b_1\ge1$ at every $T$ of the table"}
    share = finite["largest"] / finite["repaired"]
    at, above = finite.loc[share.idxmax()], int((share > 1).sum())
    runs = int(finite["runs"].sum())
    where = f"({at['setting']}, $T={at['t']}$, {runs} runs, {above} points above)"
    return {"closest": f"{share.max():.3f} {where}"}


def _rare(sides: tuple[float, float], rows, corrected) -> Finding:
    """A context of probability F^-2: F = 10^8, T = 10^20, B = 10^16, tau = 10^-12, K = 10^18.
    `corrected` is the function in theory.py that gives the corrected bound."""
    visits, tau = 1e4, 1e-12
    share = visits / (visits + tau)
    effective = Effective(1 / (visits + tau), share, share, 10**20, tau)
    bound = corrected(effective, 10**18, 0.1, points=10**20, norm=5e15, R=0.0)
    found = beyond(sides, "$F=10^8$", "what the bound has to be", repaired=bound)
    numbers = {"share": (rows["mean"] / rows["bound"]).max()} | _closest(rows)
    return Finding(numbers=numbers | ways_to_read_15(), points=found)


def ways_to_read_15(F=1e8, T=1e20, B=1e16, tau=1e-12) -> dict[str, float]:
    """sqrt(gamma_T/T) times the first coefficient of (15), in three ways, and the typical error.
    The coefficient is that of ln(2/delta). M = T/F^2 visits are expected at the rare context, and
    one visit more or less moves mubar(1) by f(1)/M = B/(2M)."""
    root = np.sqrt(np.log1p(T / tau) / 2 / T)
    first = {"below": B**3 / F**2, "beside": B**3 * F**2, "meant": B**2 * F**2}
    numbers = {name: root * np.sqrt(162 / 13 * square) for name, square in first.items()}
    return numbers | {"typical": B / 2 / np.sqrt(T / F**2)}


def _largest_growth(rows) -> float:
    """The largest power of T by which the error may grow faster than sqrt(gamma/T), by the runs."""
    powers = []
    for _, series in rows.groupby("setting"):
        scale = np.sqrt(series["gamma"] / series["t"])
        error = (series["high"] - series["low"]) / 4 / scale
        slope, sem = fit_power(series["t"], series["mean"] / scale, error)
        powers.append(slope + quantile(rows["setting"].nunique()) * sem)
    return max(powers)


def norm_on_real_draws(tables, claim) -> dict[str, Finding]:
    horizons = {t: j for t, j in FIXED.items() if t > 2**20}  # the premises hold from 2^24 on
    return {"real-draws": fixed_kernel(claim, "real-draws", horizons, {})}


def same_performance(tables) -> dict[str, Finding]:
    """printed: the growth in T of the quotient of the two suprema; pointwise: that of the mean
    squares at one f on two points."""
    both = [_rows(tables, name).set_index(["setting", "t"]) for name in ("mubar - f", "mu_T - f")]
    errors = [(rows["high"] - rows["low"]) / (4 * rows["mean"]) for rows in both]
    quotient = both[0][["mean"]] / both[1][["mean"]]
    quotient = quotient.assign(sem=quotient["mean"] * np.hypot(*errors)).reset_index()
    powers = [fit_power(o["t"], o["mean"], o["sem"]) for _, o in quotient.groupby("setting")]
    grows_with_t = any(power > quantile(len(powers)) * sem for power, sem in powers)
    sampled = numbers_of(quotient) | {"power": max(power for power, _ in powers)}
    sampled |= {"least": quotient["mean"].min(), "most": quotient["mean"].max()}
    horizons = np.array([16, 64, 256])
    squares = [two_point_errors(int(t), 2, Fraction(1)) for t in horizons]
    ratios = [float(private / usual) for usual, private in squares]
    grows = (np.array(ratios) > horizons / 4).all()
    require_proof(grows, "US-S4-same, pointwise: a quotient is at most T/4")
    numbers = dict(zip(("first", "second", "third"), ratios, strict=True))
    return {
        "printed": Finding(
            "rejected" if grows_with_t else "consistent", sampled, points_of(quotient["mean"])
        ),
        "ours: pointwise": Finding("holds", numbers, points_of(ratios, at_least=horizons / 4)),
    }
