"""Checks of what HU says of its figures and of AdaP-UCB, from the tables."""

import pandas as pd

from dpbandits.core.ledger import Verdict, claim
from dpbandits.core.points import points
from dpbandits.stochastic.readings import Z_CLAIM, Interval, final, ratio, ratio_of

AT_CLAIM = "1 - 1e-6 for each comparison"
PANELS = ("fig1", "fig2")


@claim(
    "HU-S4.1",
    where="Section 4.1",
    statement="AdaP-UCB is essentially equivalent to Anytime-Lazy-UCB",
    kind="figure",
    reads=("fig1", "fig2", "fig1_long", "fig2_long", "adap_alpha"),
)
def adap_ucb_is_lazy_ucb(tables) -> Verdict:
    both = pd.concat([tables("fig1_long"), tables("fig2_long")])
    at_end = [
        ratio_of(both, "adap-ucb", "anytime-lazy-ucb", Z_CLAIM, setting=s, epsilon=e)
        for s, e in _panels(both)
    ]
    values = [interval.value for interval in at_end]
    differ = sum(interval.high < 1 or interval.low > 1 for interval in at_end)
    alpha = final(tables("adap_alpha"), algorithm="adap-ucb")
    lazy = final(pd.concat([tables(n) for n in PANELS]), algorithm="anytime-lazy-ucb")
    lazy = lazy.set_index(["setting", "epsilon"])
    by_alpha = {}
    for _, row in alpha.iterrows():
        found = ratio(row, lazy.loc[(row["setting"], row["epsilon"])])
        by_alpha.setdefault(row["alpha"], []).append(found.value)
    spread = {a: f"{min(v):.3g} to {max(v):.3g}" for a, v in by_alpha.items() if a in (3, 6)}
    return Verdict(
        verdict="ambiguous" if differ else "consistent",
        method="statistical",
        scope=f"six panels, T = {both['t'].max():g} at alpha = 3.1, and alpha = 0.25 to 6 at 1e6",
        measured=f"regret of AdaP-UCB over Anytime-Lazy-UCB: {min(values):.3g} to "
        f"{max(values):.3g}; different from 1 in {differ} of {len(at_end)} panels. alpha = 3: "
        f"{spread.get(3, '-')}, alpha = 6: {spread.get(6, '-')}",
        bound="a ratio bounded in T (same rate); a ratio of 1 (same algorithm)",
        confidence=AT_CLAIM,
        proof_step="same rate: true. Same algorithm: no; the bonuses agree for no alpha (the "
        "sampling terms need alpha = 6, the privacy terms alpha = 3), and AdaP commits to an "
        "episode where Algorithm 1 decides every round",
        evidence="figures/hu/adap_vs_lazy.csv",
        points=(
            _ratio_points(
                *([f"{s}, {e:g}" for s, e in _panels(both)], at_end),
                *(f"same algorithm? α = 3.1, t = {both['t'].max():.0e}", "instance, ε"),
                at_least=1,
                at_most=1,
            ),
            *_over_alpha(alpha, lazy),
        ),
    )


def _ratio_points(x, intervals: list[Interval], panel: str, axis: str, **more):
    return points(
        *(x, [interval.value for interval in intervals]),
        low=[interval.low for interval in intervals],
        high=[interval.high for interval in intervals],
        panel=panel,
        axes=(axis, "ratio of regrets"),
        **more,
    )


def _over_alpha(alpha: pd.DataFrame, lazy: pd.DataFrame):
    for (setting, epsilon), own in alpha.groupby(["setting", "epsilon"], sort=False):
        found = [ratio(row, lazy.loc[(setting, epsilon)], Z_CLAIM) for _, row in own.iterrows()]
        yield _ratio_points(
            *(own["alpha"], found, f"over α, T = {own['t'].max():.0e}", "α of AdaP-UCB"),
            series=f"{setting}, {epsilon:g}",
            log="xy",
        )


def _panels(table: pd.DataFrame) -> list[tuple[str, float]]:
    return list(table[["setting", "epsilon"]].drop_duplicates().itertuples(index=False))


SIMILAR = 1.25  # our reading of "similar": regrets within a quarter of each other


@claim(
    "HU-S6",
    where="Section 6, Figures 1 and 2",
    statement="at T = 10^6 Lazy-DP-TS is similar to AdaP-KLUCB (we read: within 25%), and always "
    "better than DP-SE and Anytime-Lazy-UCB",
    kind="figure",
    reads=("fig1", "fig2", "adap_alpha"),
)
def section_6(tables) -> Verdict:
    data = pd.concat([tables(name) for name in PANELS])
    near, better, said, plots = 0, 0, [], []
    panels = _panels(data)
    for setting, epsilon in panels:
        here = {"setting": setting, "epsilon": epsilon}
        similar = ratio_of(data, "lazy-dp-ts", "adap-klucb", Z_CLAIM, **here)
        rivals = [
            ratio_of(data, name, "lazy-dp-ts", Z_CLAIM, **here)
            for name in ("dp-se", "anytime-lazy-ucb")
        ]
        place = [f"{setting}, {epsilon:g}"]
        limits = {"at_least": 1 / SIMILAR, "at_most": SIMILAR, "series": "lazy-dp-ts / adap-klucb"}
        plots.append(_ratio_points(place, [similar], "similar (α = 3.1)?", "instance, ε", **limits))
        plots += [
            _ratio_points(
                *(place, [interval], "better than both others?", "instance, ε"),
                at_least=1,
                series=f"{name} / lazy-dp-ts",
            )
            for name, interval in zip(("dp-se", "anytime-lazy-ucb"), rivals, strict=True)
        ]
        near += similar.high > 1 / SIMILAR and similar.low < SIMILAR
        better += all(interval.low > 1 for interval in rivals)
        said.append(
            f"{setting}, eps = {epsilon:g}: {similar} of adap-klucb, "
            f"dp-se {rivals[0]}, anytime-lazy-ucb {rivals[1]} of lazy-dp-ts"
        )
    matching = _alpha_that_matches(tables, data)
    all_better = better == len(panels)
    if near == len(panels) and all_better:
        verdict = "consistent"
    else:  # the alpha that was used is not printed: some value may make both readings true
        verdict = "ambiguous" if all_better and matching else "rejected"
    return Verdict(
        verdict=verdict,
        method="statistical",
        scope=f"six panels, {data['runs'].max()} runs, AdaP-KLUCB with alpha = 3.1",
        measured=f"similar in {near} of {len(panels)} panels, better than both others in {better}. "
        + "; ".join(said),
        bound=f"a ratio in [{1 / SIMILAR:g}, {SIMILAR:g}]; ratios above 1",
        confidence=AT_CLAIM,
        proof_step="alpha of AdaP-KLUCB is not printed. With its authors' 3.1, Lazy-DP-TS is "
        f"clearly better rather than similar. Alphas that make it similar: {matching or 'none'}",
        evidence=("figures/hu/fig1.csv", "figures/hu/fig2.csv", "figures/hu/adap_alpha.csv"),
        points=plots,
    )


def _alpha_that_matches(tables, data: pd.DataFrame) -> str:
    """In how many panels each alpha brings AdaP-KLUCB within 25% of Lazy-DP-TS (best three)."""
    lazy = final(data, algorithm="lazy-dp-ts").set_index(["setting", "epsilon"])
    alpha = final(tables("adap_alpha"), algorithm="adap-klucb")
    hits: dict[float, int] = {}
    for _, row in alpha.iterrows():
        found: Interval = ratio(row, lazy.loc[(row["setting"], row["epsilon"])], Z_CLAIM)
        hits[row["alpha"]] = hits.get(row["alpha"], 0) + (
            found.high > 1 / SIMILAR and found.low < SIMILAR
        )
    best = sorted((a for a in hits if hits[a]), key=lambda a: -hits[a])[:3]
    return ", ".join(f"alpha = {a:g} in {hits[a]} of {len(lazy)} panels" for a in best)
