"""Checks of HU's claims on full information: Theorem 9, its corollaries, Theorem 12, Section 7."""

import numpy as np
import pandas as pd

from dpbandits.core.ledger import Verdict, claim
from dpbandits.core.points import points
from dpbandits.stochastic import theory
from dpbandits.stochastic.readings import Z_CLAIM, growth_in_k, ratio

AT_CLAIM = "1 - 1e-6 for each comparison"


AXES = {"arms": "K", "gap": "gap", "epsilon": "ε", "horizon": "T"}


def _sweeps(tables, bound, keep=lambda row: True) -> pd.DataFrame:
    """Regret of the printed RNM-FTNL over the swept instances, with what is allowed there."""
    table = tables("full_information")
    base = {"arms": 10, "gap": 0.1, "epsilon": 0.1, "horizon": 10**6}
    rows = []
    for _, row in table[table["algorithm"] == "rnm-ftnl"].iterrows():
        point = base | {row["vary"]: row["value"]}
        if keep(point):
            allowed = bound(int(point["arms"]), point["gap"], point["epsilon"], point["horizon"])
            rows.append({**row, "bound": allowed, "spread": Z_CLAIM * row["sem"]})
    return pd.DataFrame(rows)


def _worst(rows: pd.DataFrame) -> float:
    """Largest (mean - z sem)/bound."""
    return float(((rows["mean"] - rows["spread"]) / rows["bound"]).max())


def _sweep_points(rows: pd.DataFrame):
    for (vary, best), own in rows.groupby(["vary", "best"], sort=False):
        yield points(
            *(own["value"], own["mean"]),
            low=own["mean"] - own["spread"],
            high=own["mean"] + own["spread"],
            at_most=own["bound"],
            series=f"best action {best}",
            panel=f"over {AXES[vary]}",
            axes=(AXES[vary], "regret"),
            log="xy",
        )


def _equal_gaps(arms: int, gap: float) -> np.ndarray:
    return np.array([0.0] + [gap] * (arms - 1))


def _slack_verdict(rows: pd.DataFrame, scope: str, bound: str, **more) -> Verdict:
    worst, count = _worst(rows), len(rows)
    return Verdict(
        verdict="rejected" if worst > 1 else "consistent",
        method="statistical",
        scope=f"{count} points of the sweeps over K, gap, eps and T, best action first and last. "
        f"{scope}",
        measured=f"regret at most {worst:.3g} of the bound",
        bound=bound,
        slack=f"a factor {1 / worst:.3g} at its tightest",
        confidence=AT_CLAIM,
        evidence=("figures/hu/full_information.csv", "figures/hu/conjecture.csv"),
        points=tuple(_sweep_points(rows)),
        **more,
    )


@claim(
    "HU-T9",
    where="Theorem 9, D.2",
    statement="RNM-FTNL has regret at most sum of 256 (1 + ln|J_l|)/min(Delta_(l), eps), so "
    "O(ln K/Delta_min + sum (1 + ln|J_l|)/eps over Delta_(l) > eps) "
    "= O(ln K/Delta_min + ln K ln(Delta_max/max(Delta_min, eps, 1/T))/eps)",
    kind="regret",
    reads=("full_information", "conjecture"),
)
def rnm_ftnl_regret(tables) -> Verdict:
    rows = _sweeps(tables, lambda k, gap, e, t: theory.rnm_ftnl_bound(_equal_gaps(k, gap), e, t))
    doubling = tables("conjecture")
    doubling = doubling[doubling["algorithm"] == "rnm-ftnl"]
    doubling = doubling.assign(bound=doubling["theorem9"], spread=Z_CLAIM * doubling["sem"])
    worst, count = max(_worst(rows), _worst(doubling)), len(rows) + len(doubling)
    sweep = tables("full_information")
    sweep = sweep[(sweep["vary"] == "epsilon") & (sweep["algorithm"] == "rnm-ftnl")]
    sweep = sweep[sweep["best"] == "last"].set_index("value")
    growth = ratio(sweep.loc[sweep.index.min()], sweep.loc[sweep.index.max()], Z_CLAIM)
    ratios = [ratio(row, sweep.loc[sweep.index.max()], Z_CLAIM) for _, row in sweep.iterrows()]
    literal = points(
        *(sweep.index, [interval.value for interval in ratios]),
        low=[interval.low for interval in ratios],
        high=[interval.high for interval in ratios],
        at_most=np.where(sweep.index < 0.1, 1.0, np.nan),  # eps below the gap
        panel="second form read literally: no growth below the gap",
        axes=("ε (gap 0.1)", "regret / regret at the largest ε"),
        log="xy",
    )
    doubled = points(
        *(doubling["arms"], doubling["mean"]),
        low=doubling["mean"] - doubling["spread"],
        high=doubling["mean"] + doubling["spread"],
        at_most=doubling["bound"],
        series=[
            f"{i}, ε = {share:g} gap"
            for i, share in zip(doubling["instance"], doubling["epsilon_over_gap"], strict=True)
        ],
        panel="first form, over K (equal and doubling gaps)",
        axes=("K", "regret"),
        log="xy",
    )
    return Verdict(
        verdict="rejected" if worst > 1 else "ambiguous",
        method="argument",
        scope=f"first form: {count} instances with equal and doubling gaps, proof steps checked; "
        "second form: equal gaps above eps",
        measured=f"first form: regret at most {worst:.3g} of the bound. Second form: at K = 10, "
        f"gap 0.1, regret grows by {growth} from eps = {sweep.index.max():g} to "
        f"{sweep.index.min():g}, where the printed expression stays ln K/Delta_min",
        bound="first form: 256 (1 + ln|J_l|)/min(Delta_(l), eps) summed over brackets",
        slack=f"a factor {1 / worst:.3g} at its tightest",
        confidence=AT_CLAIM,
        counterexample="second form read literally: all gaps equal to D > eps make its logarithm "
        "ln(D/D) = 0, so it claims O(ln K/D) for every eps; Theorem 12 gives at least "
        "0.0098 ln K/eps on such an instance (for an eps-private learner)",
        proof_step="end of D.2: the number of brackets with Delta_(l) > eps is taken as "
        "log(Delta_max/max(...)); it is 1 + floor of that (in base 2), which is 1, not 0, for "
        "equal gaps. Read with 1 + log(...) the second form holds too",
        repaired="O(ln K/Delta_min + ln K (1 + log(Delta_max/max(Delta_min, eps, 1/T)))/eps), the "
        "second term only if Delta_max > eps",
        evidence=("figures/hu/full_information.csv", "figures/hu/conjecture.csv"),
        points=(*_sweep_points(rows), doubled, literal),
    )


@claim(
    "HU-C10a",
    where="Corollary 10(a)",
    statement="if all gaps are at most eps, RNM-FTNL has regret O(ln K/Delta_min), by D.2 at most "
    "512 (1 + ln(K-1))/Delta_min",
    kind="regret",
    reads=("full_information",),
)
def corollary_10a(tables) -> Verdict:
    rows = _sweeps(
        tables,
        lambda k, gap, e, t: 512 * (1 + np.log(k - 1)) / gap + 1,
        lambda point: point["gap"] <= point["epsilon"],
    )
    return _slack_verdict(
        *(rows, "Only points with gap at most eps", "512 (1 + ln(K-1))/Delta_min + 1")
    )


@claim(
    "HU-C10b",
    where="Corollary 10(b)",
    statement="if all gaps are in [Delta_min, 2 Delta_min], RNM-FTNL has regret "
    "O(ln K/min(Delta_min, eps))",
    kind="regret",
    reads=("full_information",),
)
def corollary_10b(tables) -> Verdict:
    rows = _sweeps(tables, lambda k, gap, e, t: 512 * (1 + np.log(k - 1)) / min(gap, e) + 1)
    return _slack_verdict(
        *(rows, "Equal gaps", "512 (1 + ln(K-1))/min(Delta_min, eps) + 1 (two brackets)"),
        proof_step="said to be immediate from Theorem 9's second form, which it is only if that is "
        "read with 1 + log (HU-T9); it follows from the first form",
    )


@claim(
    "HU-C11",
    where="Corollary 11",
    statement="on every instance RNM-FTNL has regret O(sqrt(T ln K) + ln K ln T/eps)",
    kind="regret",
    reads=("full_information",),
)
def corollary_11(tables) -> Verdict:
    rows = _sweeps(tables, lambda k, gap, e, t: theory.corollary_11_bound(k, e, t))
    rate = _worst(_sweeps(tables, lambda k, gap, e, t: theory.corollary_11_rate(k, e, t)))
    return _slack_verdict(
        rows,
        f"Without any constant the rate itself is exceeded by a factor of at most {rate:.3g}",
        "T Delta* + (55) at Delta* = sqrt(ln K/T)",
    )


@claim(
    "HU-T12",
    where="Theorem 12, D.3",
    statement="every eps-private learner has regret at least 0.2 x 0.49 x ln K/(10 eps) on some of "
    "the K packing instances, and Omega(ln K/Delta_min), for T >= max(ln K/(16 gap^2), "
    "ln K/(10 eps gap))",
    kind="lower bound",
    neighbours="one reward vector replaced",
    reads=("lower_bound",),
)
def lower_bound(tables) -> Verdict:
    data = tables("lower_bound")
    private = data[data["algorithm"].isin(["rnm-ftnl-corrected", "ftnl"])]
    high = private["mean"] + Z_CLAIM * private["sem"]
    below = [(high / private[column]).min() for column in ("private_bound", "sampling_bound")]
    tightest = (private["mean"] / private["private_bound"]).min()
    return Verdict(
        verdict="rejected" if min(below) < 1 else "consistent",
        method="statistical",
        scope="maximum over the packing class at the smallest T allowed, K = 4 to 256, gap = 0.02 "
        "to 0.2, eps = 0.01 to 1; learners that are eps-private: corrected RNM-FTNL and FTNL",
        measured=f"largest regret of the class at least {tightest:.3g} times the private bound",
        bound="0.0098 ln K/eps; ln K/(256 gap) (Mourtada and Gaiffas; constant from memory)",
        slack=f"a factor {tightest:.3g}",
        confidence=AT_CLAIM,
        proof_step="main text after Theorem 12 says Delta_min > 1/4 where it means < 1/4; the "
        "printed RNM-FTNL is only 2 eps-private (HU-T8), so it is no test of this theorem at eps",
        evidence="figures/hu/lower_bound.csv",
        points=[
            points(
                *(own[column], own["mean"]),
                low=own["mean"] - Z_CLAIM * own["sem"],
                high=own["mean"] + Z_CLAIM * own["sem"],
                at_least=own[column],
                series=name,
                panel=panel,
                axes=("lower bound", "largest regret of the packing class"),
                log="xy",
            )
            for column, panel in (
                ("private_bound", "0.0098 ln K/ε"),
                ("sampling_bound", "ln K/(256 gap)"),
            )
            for name, own in private.groupby("algorithm", sort=False)
        ],
    )


@claim(
    "HU-S7",
    where="Section 7",
    statement="conjecture: the optimal rate is ln K/min(Delta_min, eps), also on the doubling-gap "
    "instance, where Theorem 9's bound grows like K/eps",
    kind="conjecture",
    reads=("conjecture",),
)
def conjecture(tables) -> Verdict:
    data = tables("conjecture")
    doubling = data[data["instance"] == "doubling"]
    fits = {
        (name, share): growth_in_k(rows, z=Z_CLAIM)
        for (name, share), rows in doubling.groupby(["algorithm", "epsilon_over_gap"])
    }
    logs = all(f.log_misfit < f.line_misfit and f.exponent.high < 1 for f in fits.values())
    refuted = any(f.exponent.low > 1 for f in fits.values())
    said = "; ".join(
        f"{name}, eps = {share:g} Delta_min: K^b with b = {f.exponent}, eps x regret rises by "
        f"{f.slope} per unit of ln K, misfit {f.log_misfit:.2g} (ln K) against "
        f"{f.line_misfit:.2g} (K)"
        for (name, share), f in fits.items()
    )
    return Verdict(
        verdict="rejected" if refuted else "consistent",
        method="statistical",
        scope=f"RNM-FTNL on doubling gaps, K = 5 to {data['arms'].max()}, eps = Delta_min and "
        f"Delta_min/4, T = 100/(eps Delta_min), {data['runs'].max()} runs. It supports the rate "
        "for this algorithm on this instance; it does not prove an upper bound for all instances",
        measured=said,
        bound="growth like ln K (conjecture), like K (Theorem 9's bound here)",
        slack="an exponent of 1 (growth like K) is excluded for every series"
        if logs
        else "these sizes do not tell growth like K from growth like ln K",
        confidence="1 - 1e-6 for each interval of an exponent",
        evidence="figures/hu/conjecture.csv",
        points=(*_growth_points(doubling), *_exponent_points(fits)),
    )


def _growth_points(doubling: pd.DataFrame):
    for (name, share), own in doubling.groupby(["algorithm", "epsilon_over_gap"]):
        yield points(
            *(own["arms"], own["mean"]),
            low=own["mean"] - Z_CLAIM * own["sem"],
            high=own["mean"] + Z_CLAIM * own["sem"],
            series=f"{name}, ε = {share:g} gap",
            panel="doubling gaps: straight if the rate is ln K",
            axes=("K", "ε × regret"),
            log="x",
        )


def _exponent_points(fits: dict):
    exponents = [fit.exponent for fit in fits.values()]
    yield points(
        [f"{name}, {share:g} gap" for name, share in fits],
        [b.value for b in exponents],
        low=[b.low for b in exponents],
        high=[b.high for b in exponents],
        at_most=1,
        panel="exponent b of K^b: growth like K is b = 1",
        axes=("", "exponent b, K from 5"),
    )
