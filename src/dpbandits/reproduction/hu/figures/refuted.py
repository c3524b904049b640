"""HU's figures of refuted statements."""

from dpbandits.reproduction.plots.claims import curve, refuted

refuted("hu")
curve(
    "HU-T8", title="Theorem 8: a privacy loss of up to twice ε",
    log="x", y="privacy loss / ε, at least (certified)",
    names={"at_most": "promised: at most 1", "repaired": "proved: at most 2"},
    note="the losses are certified lower bounds at ε = 0.5, of the worst pair of neighbours in one "
    "epoch; with the printed noise the loss is at most 2 ε",
)  # fmt: skip
curve(
    "HU-T9", title="Theorem 9: regret over the printed bound as ε falls",
    y="regret / printed bound ln K/Δ",
    names={"": "lower bound of the regret", "at_most": "example of a constant: 100",
           "repaired": "corrected upper bound"},
    panels={"ε": "ten actions with equal gaps Δ = 0.1"},
    note="drawn: the second form, whose last term is 0 at equal gaps; "
    "the printed bound has an O(), so an unnamed constant: 100 is an example; "
    "the regret lies "
    "between the lower bound of every 2ε-private learner (Theorem L) and the corrected upper bound",
)  # fmt: skip
