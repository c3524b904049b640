"""KL's claims on using the policies: repeated sampling and inexact policies."""

from dpbandits.core.errors import require_proof
from dpbandits.core.ledger import Verdict, claim
from dpbandits.core.points import points
from dpbandits.offline.claims.verdicts import COUNTEREXAMPLES, TESTS, certified


@claim(
    "KL-S4.4-composition",
    where="Section 4.4, repeated sampling",
    statement="T draws are T eps0 DP, and (sqrt(2 T ln(1/delta')) eps + T eps (e^eps - 1), k delta "
    "+ delta') DP",
    kind="privacy",
    neighbours="any",
    reads=("repeated_sampling",),
)
def composition(tables) -> Verdict:
    from dpbandits.audit.balls import shown
    from dpbandits.offline.claims.counterexamples import composition_with_k

    crossing = composition_with_k()
    require_proof(crossing.proved, "the counterexample to k read as records")
    rows = tables("repeated_sampling")
    basic = float((rows["exact"] / rows["basic"]).max())
    advanced = float((rows["exact"] / rows["advanced"]).max())
    require_proof(max(basic, advanced) <= 1 + 1e-9, "the known composition theorems")
    return Verdict(
        verdict="ambiguous",
        method="certified",
        scope="k read as T (the number of draws): the known composition theorems, and true; k read "
        "as the constant of Corollary 1, the only k of the paper: false (certified)",
        measured=f"k=1: delta {shown(crossing.measured)} whatever eps is; k=T: exact eps of T "
        f"draws at most {basic:.3g} of T eps0 and {advanced:.3g} of the advanced bound",
        bound=f"k=1: delta at most {shown(crossing.allowed)}",
        slack=f"k=1: exceeded by a factor {shown(crossing.measured / crossing.allowed, 3)}",
        evidence=("figures/kl/repeated_sampling.csv", COUNTEREXAMPLES, TESTS),
        counterexample=crossing.words,
        points=_draws_points(rows),
        proof_step="k in the delta term stands for the number of draws in the source, here T",
        repaired="(sqrt(2 T ln(1/delta')) eps + T eps (e^eps - 1), T delta + delta')",
    )


def _draws_points(rows):
    """The rare arm of the counterexample over T, and the exact eps of T draws."""
    times = (1, 3, 10, 30, 100, 300, 1000)
    seen = [1 - (1 - 1e-4) ** t for t in times]
    for k, allowed in (("1", [1e-4 + 1e-3] * len(times)), ("T", [t * 1e-4 + 1e-3 for t in times])):
        yield points(
            *(times, seen),
            at_most=allowed,
            panel=f"k = {k}: the rare arm is seen",
            axes=("draws T", "δ, whatever ε is"),
            log="xy",
        )
    yield points(
        *(rows["T"], rows["exact"]),
        at_most=rows[["basic", "advanced"]].min(axis=1),
        panel="ε of T draws against the smaller bound",
        axes=("draws T", "exact ε"),
        log="xy",
    )


@claim(
    "KL-S4.4-inexact",
    where="Section 4.4, inexact policies",
    statement="a policy within eps^ of an (eps, delta) DP one in both max divergences is "
    "(eps + 2 eps^, delta) DP",
    kind="privacy",
    neighbours="any",
)
def inexact_policies(tables) -> Verdict:
    from dpbandits.offline.claims.counterexamples import inexact

    step = "called straightforward: passing through the exact policy multiplies delta by e^eps^ too"
    return certified(inexact(), step, "(eps + 2 eps^, e^eps^ delta); the pure case is as printed")
