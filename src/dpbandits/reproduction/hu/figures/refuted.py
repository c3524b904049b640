"""HU's figures of refuted statements."""

from dpbandits.reproduction.plots.claims import curve, refuted

refuted("hu")
curve(
    "HU-T8", title="Theorem 8: a privacy loss of twice ε, at K = 2 in the limit of long epochs",
    log="x", y="privacy loss / ε, at least (certified)",
    names={"at_most": "promised: at most 1", "repaired_bound": "at most, as printed: 2"},
    we_see=lambda points: "Where ε is promised, the printed RNM-FTNL loses up to "
    f"{points['measured'].max():.3g} ε; the corrected one, proved to keep the promise, at most "
    f"{points['measured'][points['series'].str.startswith('corrected')].max():.3g} ε.",
    note="the losses are certified lower bounds at ε = 0.5, of the worst pair of neighbours in one "
    "epoch; with the printed noise the loss is at most 2 ε",
)  # fmt: skip
curve(
    "HU-T9", title="Theorem 9: regret over the printed bound as ε falls",
    y="regret / printed bound ln K/Δ",
    names={"": "lower bound of the regret", "at_most": "example of a constant: 100",
           "repaired_bound": "corrected upper bound"},
    panels={"lower bound / printed expression, equal gaps": "ten actions with equal gaps Δ = 0.1"},
    we_see=lambda points: "As ε falls the regret exceeds any constant times the printed bound: "
    f"{points['at_most'].max():g} times it from ε = {points['x'][points['beyond']].max():.2g} "
    f"down, and {points['measured'].max():,.0f} times it at ε = {points['x'].min():g}, which is "
    f"{(points['measured'] / points['at_most']).max():.0f} times that example of a constant.",
    note="the printed bound has an O(), so an unnamed constant: 100 is an example; the severity is "
    "'constant', as the bound is true with a summand 1 beside its logarithm; the regret lies "
    "between the lower bound of every 2ε-private learner (Theorem L) and the corrected upper bound",
)  # fmt: skip
