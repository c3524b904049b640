"""FL's figures of refuted statements."""

from dpbandits.reproduction.plots.claims import curve, refuted

refuted("fl")
curve(
    "FL-T3.2",
    title="Theorem 3.2: the largest regret that any policy can have, below the printed bound",
    names={"": "largest regret that any policy can have",
           "at_least": "printed lower bound, times an example constant of 1/1000",
           "repaired": "corrected lower bound"},
    panels={"ε": "as ε falls, δ = 0.01", "ln(1/δ)": "as δ falls, ε = 1"},
    y="regret",
    unscaled=1000,
    note="T = 10,000, d = 400, s* = 5; the printed bound has an Ω(), so an unnamed constant: "
    "with a smaller one it crosses the line at a smaller ε or δ",
)  # fmt: skip
curve(
    "FL-T5.1", title="Theorem 5.1: the true ε beside the promised one", log="xy",
    y="true ε at δ = 0.01, at least (certified)",
    names={"as printed": "N-IHT as printed, M = 1 step", "at_most": "promised: at most ε",
           "Gaussian release of the repair": "with Gaussian noise (Theorem B1)"},
    note="both curves are certified lower bounds of the loss of one step (M = 1), for one pair of "
    "neighbours, with xₘₐₓ = 3.46, 4096 records and else the constants of Appendix F.1; that "
    "Gaussian noise keeps the promise is proved (Theorem B1), not shown by its curve",
)  # fmt: skip
