"""Checks of what HU says of its figures and of AdaP-UCB, from the tables."""

import pandas as pd

from dpbandits.core.ledger import Verdict, claim
from dpbandits.core.points import points
from dpbandits.stochastic.claims.full_information import PROOF
from dpbandits.stochastic.problem import AdapSetting
from dpbandits.stochastic.readings import Z_CLAIM, Interval, beside, final, ratio, ratio_of

AT_CLAIM = "1 - 1e-6 for each comparison"
PANELS = ("fig1", "fig2")
ALPHA = AdapSetting.model_fields["alpha"].default  # what the series `adap-*` run with


@claim(
    "HU-S4.1",
    where="Section 4.1",
    statement="AdaP-UCB is essentially equivalent to Anytime-Lazy-UCB",
    kind="figure",
    reads=("fig1", "fig2", "fig1_long", "fig2_long", "adap_alpha"),
)
def adap_ucb_is_lazy_ucb(tables) -> list[Verdict]:
    both = pd.concat([tables("fig1_long"), tables("fig2_long")])
    at_end = _ratios(both, "adap-ucb", "anytime-lazy-ucb")
    lowest, highest = _ends(at_end)
    differ = sum(interval.high < 1 or interval.low > 1 for interval in at_end.values())
    alpha = final(tables("adap_alpha"), algorithm="adap-ucb")
    lazy = final(pd.concat([tables(n) for n in PANELS]), algorithm="anytime-lazy-ucb")
    lazy = lazy.set_index(["setting", "epsilon"])
    alpha = beside(lazy, alpha)
    by_alpha = {}
    for _, row in alpha.iterrows():
        found = ratio(row, lazy.loc[(row["setting"], row["epsilon"])])
        by_alpha.setdefault(row["alpha"], []).append(found.value)
    spread = {a: f"{min(v):.3g} to {max(v):.3g}" for a, v in by_alpha.items() if a in (3, 6)}
    horizon = both["t"].max()
    same = Verdict.sampled(
        not differ,
        scope=f"the same algorithm: {len(at_end)} panels, T = {horizon:g}, alpha = {ALPHA:g}; "
        f"alpha = {alpha['alpha'].min():g} to {alpha['alpha'].max():g} at T = {alpha['t'].max():g}",
        measured=f"regret of AdaP-UCB over Anytime-Lazy-UCB: {lowest:.3g} to "
        f"{highest:.3g}; different from 1 in {differ} of {len(at_end)} panels. alpha = 3: "
        f"{spread.get(3, '-')}, alpha = 6: {spread.get(6, '-')}",
        bound="a ratio of 1",
        confidence=AT_CLAIM,
        proof_step="the bonuses agree for no alpha (the sampling terms need alpha = 6, the privacy "
        "terms alpha = 3), and AdaP commits to an episode where Algorithm 1 decides every round",
        **_instead(not differ, "the two have the same rate, not the same regret", "holds", "proof"),
        evidence=(PROOF, "figures/hu/adap_vs_lazy.csv"),
        points=(
            _panel_points(
                at_end, f"same algorithm? α = {ALPHA:g}, t = {horizon:.0e}", at_least=1, at_most=1
            ),
            *_over_alpha(alpha, lazy),
        ),
    )
    return [same, _same_rate(both, at_end)]


def _same_rate(both: pd.DataFrame, at_end: dict) -> Verdict:
    """A theorem; beside it the ratio of regrets now over that a thousand times earlier."""
    early = both["t"].unique()
    early = both[both["t"] <= early[abs(early - both["t"].max() / 1000).argmin()]]
    drift = {
        panel: Interval(b.value / a.value, b.low / a.high, b.high / a.low)
        for panel, a in _ratios(early, "adap-ucb", "anytime-lazy-ucb").items()
        for b in [at_end[panel]]
    }
    lowest, highest = _ends(drift)
    return Verdict.proved(
        reading="same rate",
        statement="AdaP-UCB and Anytime-Lazy-UCB have regret of the same rate in T",
        scope=r"every instance with means in $(0, 1)$ and one best arm, $\alpha \ge 3$: both are "
        r"between $c \ln T$ and $C \ln T$, by Theorem 3, its like and Lai and Robbins (1985). "
        f"Beside it {len(drift)} panels, from t = {early['t'].max():g} to {both['t'].max():g}",
        measured=f"the ratio of their regrets changes by a factor of {lowest:.3g} to {highest:.3g}",
        bound="a constant for each instance",
        evidence=(PROOF, "figures/hu/adap_vs_lazy.csv"),
        points=_panel_points(drift, "ratio late / ratio early"),
    )


def _instead(true: bool, repaired: str, verdict="consistent", method="statistical"):
    """What a rejected reading says of the statement that the data support."""
    how = {"repaired_verdict": verdict, "repaired_method": method, "tightness": "as measured"}
    return {} if true else {"repaired": repaired, **how}


def _ratio_points(x, intervals, panel: str, axis: str, **more):
    found = pd.DataFrame(intervals)
    ends = {"low": found["low"], "high": found["high"]}
    return points(x, found["value"], panel=panel, axes=(axis, "ratio of regrets"), **ends, **more)


def _panel_points(found: dict, panel: str, **more):
    return _ratio_points(map(_named, found), found.values(), panel, "instance, ε", **more)


def _over_alpha(alpha: pd.DataFrame, lazy: pd.DataFrame):
    for (setting, epsilon), own in alpha.groupby(["setting", "epsilon"], sort=False):
        found = [ratio(row, lazy.loc[(setting, epsilon)], Z_CLAIM) for _, row in own.iterrows()]
        yield _ratio_points(
            own["alpha"],
            found,
            f"over α, T = {own['t'].max():.0e}",
            "α of AdaP-UCB",
            series=f"{setting}, {epsilon:g}",
            log="xy",
        )


def _ratios(table: pd.DataFrame, one: str, other: str) -> dict[tuple[str, float], Interval]:
    """Regret of one over that of the other in each panel, a setting and an epsilon."""
    panels = table[["setting", "epsilon"]].drop_duplicates().itertuples(index=False, name=None)
    return {(s, e): ratio_of(table, one, other, Z_CLAIM, setting=s, epsilon=e) for s, e in panels}


def _named(panel: tuple[str, float]) -> str:
    return f"{panel[0]}, {panel[1]:g}"


def _ends(found: dict) -> tuple[float, float]:
    values = [interval.value for interval in found.values()]
    return min(values), max(values)


SIMILAR = 1.25  # our reading of "similar": regrets within a quarter of each other
LIMITS = {"at_least": 1 / SIMILAR, "at_most": SIMILAR}


@claim(
    "HU-S6",
    where="Section 6, Figures 1 and 2",
    statement="at $T = 10^6$ Lazy-DP-TS is similar to AdaP-KLUCB (we read: within 25%), and always "
    "better than DP-SE and Anytime-Lazy-UCB",
    kind="figure",
    reads=("fig1", "fig2", "adap_alpha"),
)
def section_6(tables) -> list[Verdict]:
    data = pd.concat([tables(name) for name in PANELS])
    near = _ratios(data, "lazy-dp-ts", "adap-klucb")
    similar = [*map(_within, near.values())]
    printed = Verdict.sampled(
        all(similar),
        scope=f"{len(near)} panels, {data['runs'].max()} runs, AdaP-KLUCB with its authors' "
        f"alpha = {ALPHA:g} (none is printed)",
        measured=f"similar in {sum(similar)} of {len(near)} panels; regret in multiples of "
        "AdaP-KLUCB's: " + _listed(near),
        bound=f"a ratio in [{1 / SIMILAR:g}, {SIMILAR:g}]",
        confidence=AT_CLAIM,
        proof_step=f"alpha of AdaP-KLUCB is not printed; at {ALPHA:g} its bonus is {ALPHA:.2g} "
        "times the usual one",
        **_instead(all(similar), f"Lazy-DP-TS has less regret at alpha = {ALPHA:g}"),
        evidence=("figures/hu/fig1.csv", "figures/hu/fig2.csv"),
        points=_panel_points(near, f"similar (α = {ALPHA:g})?", **LIMITS),
    )
    return [printed, _some_alpha(tables, data), _better(data)]


def _within(interval: Interval) -> bool:
    return interval.high > 1 / SIMILAR and interval.low < SIMILAR


def _listed(found: dict) -> str:
    return "; ".join(f"{setting}, eps = {e:g}: {i}" for (setting, e), i in found.items())


def _better(data: pd.DataFrame) -> Verdict:
    found = {name: _ratios(data, name, "lazy-dp-ts") for name in ("dp-se", "anytime-lazy-ucb")}
    intervals = [interval for each in found.values() for interval in each.values()]
    better = not any(interval.high < 1 for interval in intervals)
    clear = sum(interval.low > 1 for interval in intervals)
    return Verdict.sampled(
        better,
        reading="better than the others",
        statement="Lazy-DP-TS always has less regret than DP-SE and Anytime-Lazy-UCB",
        scope=f"{len(intervals) // 2} panels, {data['runs'].max()} runs",
        measured=f"clearly so in {clear} of {len(intervals)} comparisons; in multiples of "
        "Lazy-DP-TS: " + ". ".join(f"{name}: {_listed(each)}" for name, each in found.items()),
        bound="ratios above 1",
        confidence=AT_CLAIM,
        **_instead(better, "it has not in every panel"),
        evidence=("figures/hu/fig1.csv", "figures/hu/fig2.csv"),
        points=tuple(
            _panel_points(
                each, "better than both others?", at_least=1, series=f"{name} / lazy-dp-ts"
            )
            for name, each in found.items()
        ),
    )


def _some_alpha(tables, data: pd.DataFrame) -> Verdict:
    """Is there one alpha that brings AdaP-KLUCB within 25% of Lazy-DP-TS in all panels?"""
    lazy = final(data, algorithm="lazy-dp-ts").set_index(["setting", "epsilon"])
    table = beside(lazy, final(tables("adap_alpha"), algorithm="adap-klucb"))
    by_alpha: dict[float, dict] = {}
    for _, row in table.iterrows():
        place = (row["setting"], row["epsilon"])
        found = ratio(lazy.loc[place], row, Z_CLAIM)
        by_alpha.setdefault(row["alpha"], {})[place] = found
    hits = {a: sum(_within(i) for i in found.values()) for a, found in by_alpha.items()}
    best = max(hits, key=lambda a: hits[a])
    said = ", ".join(f"alpha = {a:g} in {n}" for a, n in hits.items() if n)
    panels = len(by_alpha[best])
    every = hits[best] == panels
    return Verdict.sampled(
        every,
        reading="some alpha",
        statement="for one alpha, not printed, Lazy-DP-TS is similar to AdaP-KLUCB in every panel",
        scope=f"alpha = {', '.join(f'{a:g}' for a in hits)}; {panels} panels",
        measured=f"similar in panels: {said or 'none'}",
        bound=f"{panels} panels",
        confidence=AT_CLAIM,
        **_instead(every, f"alpha = {best:g} comes nearest, similar in {hits[best]} panels"),
        evidence="figures/hu/adap_alpha.csv",
        points=_panel_points(by_alpha[best], f"similar (α = {best:g})?", **LIMITS),
    )


@claim(
    "HU-S6-coefficient",
    where="Section 6",
    statement=r"AdaP-KLUCB and Lazy-DP-TS are expected to have the same coefficient of "
    r"$\ln T/\varepsilon$",
    kind="figure",
    reads=("regret_vs_epsilon",),
)
def privacy_coefficient(tables) -> Verdict:
    """Where privacy decides, at the smallest eps that are not trivial, the regrets should agree."""
    data = tables("regret_vs_epsilon")
    smallest = sorted(data["epsilon"].unique())[:4]
    found = {
        ("eps", e): ratio_of(data, "lazy-dp-ts", "adap-klucb", Z_CLAIM, epsilon=e) for e in smallest
    }
    same = all(map(_within, found.values()))
    lowest, highest = _ends(found)
    return Verdict.sampled(
        same,
        scope=f"instance {', '.join(data['setting'].unique())}, T = {data['t'].max():g}, eps = "
        + ", ".join(f"{e:g}" for e in smallest)
        + f", AdaP-KLUCB with alpha = {ALPHA:g}",
        measured="regret of Lazy-DP-TS over AdaP-KLUCB's: "
        + ", ".join(f"{i} (eps = {e:g})" for (_, e), i in found.items()),
        bound=f"a ratio in [{1 / SIMILAR:g}, {SIMILAR:g}]",
        confidence=AT_CLAIM,
        proof_step="an expectation without a proof: both add Lap(1/eps) per epoch, but a "
        "deterministic index must rise by its whole bonus where a posterior draw may",
        **_instead(
            same,
            f"the rates agree, the coefficients do not: a ratio of {lowest:.2g} to {highest:.2g}",
        ),
        evidence="figures/hu/regret_vs_epsilon.csv",
        points=_ratio_points(
            [e for _, e in found],
            found.values(),
            "same coefficient of ln T/ε?",
            "ε",
            log="x",
            **LIMITS,
        ),
    )
