"""What US's claims share: where evidence stands, tests of bounds that may fail at times."""

import numpy as np
from scipy.special import betaincinv

from dpbandits.core.ledger import Verdict
from dpbandits.core.points import curves, points

PROOF = "docs/proofs/US.md"
ATTACK = "tests/kernel/test_us_proofs.py"
CERTIFIED = "certificates/check.py"
EXACT = "src/dpbandits/kernel/engine/certificates.py"
CLOSED_FORMS = "src/dpbandits/kernel/engine/counterexamples.py"
PRIVACY_TESTS = "tests/kernel/test_kernel_privacy.py"
LEVEL = 1e-6  # of every `rejected` and `consistent`


def violated(case: dict, **fields) -> Verdict:
    """A counterexample that its own computation certifies; else nothing is said."""
    fields = {"method": "certified"} | fields
    if case["certified"]:
        return Verdict.refuted(**fields)
    nothing = {"points": (), "repaired_verdict": "", "repaired_method": ""}
    return Verdict(**(fields | nothing | {"verdict": "untestable"}))


def instead(repaired: str, tightness: str) -> dict[str, str]:
    """What is proved in the place of a statement."""
    how = {"repaired_verdict": "holds", "repaired_method": "proof"}
    return {"repaired": repaired, **how, "tightness": tightness}


def shown_beyond(names, measured, allowed, axes: tuple[str, str], **options):
    """One plotted point per counterexample, with what the statement allows there."""
    return points(names, measured, at_most=allowed, axes=axes, **options)


def lowest(hits, misses, error: float) -> np.ndarray:
    """Lower end of Clopper and Pearson's interval."""
    return np.nan_to_num(betaincinv(hits, misses + 1, error))


def over_time(rows):
    """Mean over the runs, with a whisker to the largest one, and the bound, per kernel."""
    return curves(
        rows,
        "t",
        low="low",
        high="largest",
        at_most="bound",
        series="{setting}",
        axes=("$T$", "mean over runs, whisker to the largest"),
        log="xy",
    )


def share_of_all(rows):
    """The quantity of the test: all runs together, its exact interval one-sided at the level."""
    above, runs = int(rows["exceed"].sum()), int(rows["runs"].sum())
    return points(
        ["all $T$ and kernels"],
        [above / runs],
        low=lowest(above, runs - above, LEVEL),
        high=1 - lowest(runs - above, above, LEVEL),
        at_most=rows["delta"].max(),
        panel="share of runs above the bound",
        axes=("", "share, interval at $1-10^{-6}$"),
    )


def never_exceeded(rows, *, measured: str = "", note: str, evidence: tuple, **fields) -> Verdict:
    """A bound that may fail in a share delta of the runs: binomial test of all points together."""
    from scipy.stats import binom

    runs, above, delta = int(rows["runs"].sum()), int(rows["exceed"].sum()), rows["delta"].max()
    chance = float(binom.sf(above - 1, runs, delta))
    refuted = chance < LEVEL
    seen = f"a failure rate above {1 - LEVEL ** (1 / runs):.2g} would have shown"
    closest = (rows["bound"] / rows["largest"]).min()
    return Verdict.sampled(
        not refuted,
        scope=f"{settings_of(rows)}; {runs} runs; {note}",
        measured=f"{above} of {runs} runs above the bound. {measured}".strip(),
        bound=rf"at most a share $\delta={delta:g}$ of the runs",
        slack=f"bound / largest value seen: at least {closest:.3g}",
        confidence=f"1 - {chance:.1g}" if refuted else f"1 - {LEVEL:g}: {seen}",
        evidence=evidence,
        points=(over_time(rows), share_of_all(rows)),
        **fields,
    )


def settings_of(rows) -> str:
    """The scope that a table says itself."""
    taus = ", ".join(f"{tau:g}" for tau in sorted(rows["tau"].unique())) if "tau" in rows else ""
    names = ", ".join(rows["setting"].unique())
    known = rf", $\tau$ = {taus}" if taus else ""
    return f"{names}; $T$ = {rows['t'].min()} to {rows['t'].max()}{known}"
