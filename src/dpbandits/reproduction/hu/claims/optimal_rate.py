"""HU's lower bounds and the open problem: (56), Theorem 12, the conjectures of Sections 5 and 7."""

import numpy as np
import pandas as pd

from dpbandits.core.maximise import maximise, share
from dpbandits.reproduction.hu.claims.regret import PRINTED
from dpbandits.reproduction.hu.rate_attacks import copies_ratio
from dpbandits.reproduction.hu.summaries import PRIVATE, Z_CLAIM
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import of_means, points_of
from dpbandits.reproduction.proofs import require_proof
from dpbandits.reproduction.statistics import Interval, fit_line, fit_power

BEST = "rnm-ftnl-phase"  # proved to have the conjectured rate
VARIANTS = tuple(
    f"rnm-ftnl-{name}" for name in ("corrected", "permute-and-flip", "gumbel", "prefix", "phase")
)


def packing_error(tables) -> Finding:
    """(56) beside its proof: the exponential mechanism on sums of rewards, exact for K = 2."""
    gap, errors, bounds = 0.1, [], []
    for n in np.unique(np.geomspace(1, 300, 12).astype(int)):
        law = np.array([1.0])  # of the lead of the best action
        for _ in range(n):
            law = np.convolve(law, np.convolve([0.5 - gap, 0.5 + gap], [0.5, 0.5]))
        for epsilon in (0.1, 1.0):
            errors.append(law @ (1 / (1 + np.exp(epsilon / 2 * np.arange(-n, n + 1)))))
            bounds.append(0.45 * min(1, np.exp(-10 * epsilon * n * gap)))
    return Finding(points=points_of(errors, at_least=bounds))


def private_term(tables) -> Finding:
    """D.3's term with m* rounded down, over half of the printed constant."""
    rounds = np.arange(4, 33) / 4  # below 1 the first draw alone costs enough
    return Finding(points=points_of(2 * np.floor(rounds) / rounds, at_least=1))


def both_terms(tables) -> Finding:
    data = tables("lower_bound")
    private = data[data["algorithm"].isin(PRIVATE)]
    rate = np.maximum(1 / private["gap"], 1 / private["epsilon"])
    private = private.assign(bound=np.log(private["arms"]) * rate / 40)
    times = private["mean"] / private["bound"]
    least = private.loc[times.idxmin()]
    where = f"gap {least['gap']:g}, ε = {least['epsilon']:g}, K = {least['arms']}"
    found = of_means(private, Z_CLAIM, at_least=private["bound"])
    return Finding("holds", {"slack": float(times.min()), "where": where}, found)


def price(tables) -> Finding:
    """Theorem O, a proved bound, beside runs."""
    data = tables("constants")
    rows = data[data["algorithm"] == BEST]
    found = of_means(rows, Z_CLAIM, at_most=rows["upper"])
    return Finding("holds", {"share": (rows["mean"] / rows["upper"]).max()}, found)


def optimal(tables) -> Finding:
    data = tables("conjecture")
    rows = data[data["algorithm"] == BEST]
    data = tables("constants")
    data = data[data["algorithm"].isin(VARIANTS)]
    constants = data.groupby("algorithm", sort=False)["afresh"].max()  # the maximum, run again
    search = maximise(
        lambda rows: copies_ratio("exponential", "phase", share(rows), 128),
        4, 4000, np.random.default_rng(7), parents=20, children=10,
    )  # fmt: skip
    point = share(search.row)
    texts = [f"{name} {value:.3g}" for name, value in constants.items()]
    numbers = {"constants": ", ".join(texts), "smallest": constants.min()}
    numbers |= {"variant": constants.idxmin(), "attack": search.value, "spent": search.instances}
    numbers |= {"attack_arms": int(2 * 1000 ** point[0]), "attack_epsilon": 0.05 * 200 ** point[3]}
    return Finding("holds", numbers, of_means(rows, Z_CLAIM, at_most=rows["optimal"]))


FITTED_FROM = 5  # arms: for fewer, a power of K and ln K hardly differ


def interval(value: float, error: float) -> Interval:
    return Interval(value, value - Z_CLAIM * error, value + Z_CLAIM * error)


def of_rnm_ftnl(tables) -> Finding:
    """How eps x regret grows with K: its power, and fits linear in ln K and in K."""
    data = tables("conjecture")
    data = data[(data["instance"] == "doubling") & (data["algorithm"] == PRINTED)]
    data, exponents, texts, like_log = data[data["arms"] >= FITTED_FROM], {}, [], True
    for ratio, rows in data.groupby("epsilon_over_gap"):
        k, y, sem = (rows[name].to_numpy(float) for name in ("arms", "mean", "sem"))
        exponents[ratio] = power = interval(*fit_power(k, y, sem))
        *slope, in_log = fit_line(np.log(k), y, sem)
        *_, in_line = fit_line(k, y, sem)
        like_log &= in_log < in_line and power.high < 1
        texts.append(
            f"ε = {ratio:g} Δₘᵢₙ: K^b with b = {power}, ε x regret rises by {interval(*slope)} "
            f"per unit of ln K, mean squared residual {in_log:.2g} for a fit linear in ln K, "
            f"{in_line:.2g} for a fit linear in K"
        )
    numbers = {"least_arms": data["arms"].min(), "most_arms": data["arms"].max()}
    numbers |= {"shares": " and ".join(rf"{ratio:g}\Delta_{{\min}}" for ratio in exponents)}
    numbers |= {"runs": data["runs"].max(), "fits": "; ".join(texts)}
    numbers["linear_growth"] = "excluded" if like_log else "not excluded at these sizes"
    fitted = pd.DataFrame(exponents.values())
    at_most_linear = (fitted["low"] <= 1).all()
    require_proof(at_most_linear, "HU-S7, RNM-FTNL itself: regret grows faster than K")
    found = points_of(fitted["value"], low=fitted["low"], high=fitted["high"], at_most=1)
    return Finding("consistent", numbers, found)
