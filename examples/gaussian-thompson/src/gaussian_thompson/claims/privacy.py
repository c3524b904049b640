"""Is Thompson sampling private as it is? The proof is docs/proofs/TS.md; here it is attacked."""

from dpbandits.core.errors import require_proof
from dpbandits.core.ledger import Verdict, claim
from dpbandits.core.points import points

ROUNDING = 1e-9


@claim(
    "TS-GDP",
    where="Abstract",
    statement="Thompson sampling with Gaussian posteriors is private as it is, and the more so "
    r"with pre-pulls and a larger variance: with $b$ pre-pulls of each of $K$ arms and variance "
    r"$c/(n_i+1)$, $T$ rounds are $\mu$-GDP with $\mu = \sqrt{N/(c(\max(b,1)+1))}$, "
    r"$N = T - \max(Kb, 1)$ (derived by us, docs/proofs/TS.md: the abstract "
    "has no constants, and the printed theorem was not seen)",
    kind="privacy",
    neighbours="one reward vector in [0,1]^K replaced",
    reads=("privacy",),
)
def thompson_sampling_is_private(tables) -> Verdict:
    table = tables("privacy")
    table["ratio"] = table["mu"] / table["bound"]
    worst = table.loc[table["ratio"].idxmax()]
    at = f"b = {worst['pre_pulls']:g}, c = {worst['variance']:g}, {worst['decisions']:g} decisions"
    scope = "proved for all K, T, b and c, and rewards that depend on the arms played before"
    searched = f"{len(table)} exact losses of runs with two arms and up to " + (
        f"{table['decisions'].max():g} decisions, over all rewards in {{0,1}}"
    )
    require_proof(worst["ratio"] <= 1 + ROUNDING, f"TS-GDP: {worst['ratio']:.6g} at {at}")
    return Verdict(
        verdict="holds",
        method="proof",
        scope=f"{scope}; attacked by {searched}",
        measured=f"largest mu over the guarantee: {worst['ratio']:.4f} ({at}, "
        f"eps = {worst['epsilon']:g})",
        bound="1",
        slack=f"{1 - worst['ratio']:.4f}",
        evidence=("docs/proofs/TS.md",),
        tightness=f"{worst['ratio']:.4f} at {at}; searched: {searched}",
        points=tuple(_points(table)),
    )


def _points(table):
    """Per b the mu that the loss needs against the number of decisions, and the guarantee."""
    worst = table.groupby(["pre_pulls", "variance", "decisions"], as_index=False).max()
    for (b, c), rows in worst.groupby(["pre_pulls", "variance"]):
        yield points(
            rows["decisions"],
            rows["mu"],
            at_most=rows["bound"],
            panel=f"b = {b}",
            series=f"c = {c:g}",
            axes=("decisions after the replaced reward", "μ of the exact loss"),
        )
