"""The verdicts on US's sensitivity and privacy claims."""

from dpbandits.core.ledger import Verdict, claim
from dpbandits.core.points import curves
from dpbandits.kernel.claims.evidence import ATTACK, PRIVACY_TESTS, PROOF, settings_of

NEIGHBOURS = "one record (c_t, y_t) replaced, the query x_t kept"
ENGINE = "src/dpbandits/kernel/engine/privacy.py"
LABELS = {
    "loss_over_epsilon": r"exact loss / $\varepsilon$",
    "loss_at_least_noise": r"exact loss / $\varepsilon$, least noise",
    "sensitivity_over_bound": r"sensitivity / $2B\sup\bar\sigma^2$",
}


@claim(
    "US-L4.2",
    where="Lemma 4.2 = 7.1, first half",
    statement=r"replacing one record moves $\bar\mu$ nowhere by more than $2B\sup\bar\sigma^2$",
    kind="sensitivity",
    neighbours=NEIGHBOURS,
    reads=("privacy",),
)
def lemma_4_2(tables) -> Verdict:
    data = tables("privacy")
    worst = data["sensitivity_over_bound"].max()
    return _proved(
        "sensitivity_over_bound",
        data,
        measured=rf"largest sensitivity / $2B\sup\bar\sigma^2$ = {worst:.12g}: attained by the "
        "same context, reward $B$ turned into $-B$",
        why=r"$|\phi(w)'\tilde Z^{-1}\phi(v)|\le\bar\sigma(w)\bar\sigma(v)$ by Cauchy-Schwarz, for "
        r"every $\mathcal Z$ and $T$: the printed condition $T>\bar N_1$ is not needed",
    )


@claim(
    "US-L7.2",
    where="Lemma 7.2",
    statement=r"the final output is $\varepsilon$-DP in the records, $c_{T+1}$ apart",
    neighbours=NEIGHBOURS,
    reads=("privacy",),
)
def lemma_7_2(tables) -> list[Verdict]:
    data = tables("privacy")
    worst, least = data["loss_over_epsilon"].max(), data["loss_over_epsilon"].min()
    printed = _proved(
        "loss_over_epsilon",
        data,
        measured=rf"worst exact loss over all data sets, given $\mathcal Z$: {least:.4f} to "
        rf"{worst:.4f} $\varepsilon$: about half of the noise is spare",
        why=r"the exponential mechanism at a sensitivity that is valid for each $\mathcal Z$; the "
        r"mixture over $\mathcal Z$, whose law does not depend on the records, loses no more",
    )
    return [printed, _least_noise(data)]


def _least_noise(data) -> Verdict:
    longest = data[data["t"] == data["t"].max()]
    return _proved(
        "loss_at_least_noise",
        data,
        reading="exact-calibration",
        statement=r"the same with the density proportional to $\exp(\varepsilon\bar\mu/\rho)$, "
        r"$\rho=2B\max_{c,v}[\max_xM-\min_xM]$, $M=\phi(x,c)'\tilde Z^{-1}\phi(v)$ (the setting "
        '`"calibration": "exact"`), and no larger exponent is private for data of every length',
        measured=rf"{data['loss_at_least_noise'].max():.12g} $\varepsilon$ over all data sets; "
        rf"one pair of {longest['t'].iloc[0]} records attains "
        rf"{longest['attained'].min():.6f} $\varepsilon$ or more",
        tightness=f"{longest['attained'].max():.6f}, by the worst swap while all other records "
        "lift the action that it lowers most",
        why=r"$\rho$ depends on $\mathcal Z$ only, and bounds the range over actions of the change "
        r"of $\bar\mu$; the same context with $B$ turned into $-B$ attains it",
    )


@claim(
    "US-T7.3",
    where="Theorem 7.3, first half of 4.1",
    statement=r"USCA is $\varepsilon$-JDP: later queries and the final output together",
    neighbours=NEIGHBOURS,
    reads=("privacy",),
)
def theorem_7_3(tables) -> Verdict:
    data = tables("privacy")
    worst = data["loss_over_epsilon"].max()
    return _proved(
        "loss_over_epsilon",
        data,
        measured=rf"worst exact loss of the output: {worst:.4f} $\varepsilon$; the later queries "
        "are drawn uniformly from coins of their own and lose nothing",
        why=r"$x_{t+1},\dots,x_T$ are independent of all records, the output is $\varepsilon$-DP "
        r"for every value of them (US-L7.2); $K$ depends on $T$ and the kernel only",
    )


def _proved(column: str, data, measured: str, why: str, **fields) -> Verdict:
    worst = data[column].max()
    within = worst <= 1 + 1e-9
    cases = len(data[["setting", "t", "run"]].drop_duplicates())
    return Verdict.proved(
        verdict="holds" if within else "untestable",  # rounding alone refutes nothing
        scope=rf"proved in general: {why}. Checked on {cases} draws of $\mathcal Z$ "
        f"({settings_of(data)}) over all neighbours, with double rounding",
        measured=measured,
        bound="1 (the promise)",
        slack=f"{1 - worst:.3g}",
        evidence=(PROOF, ATTACK, PRIVACY_TESTS, ENGINE),
        points=_over_horizons(data, column) if within else (),
        **fields,
    )


def _over_horizons(data, column: str):
    """Over the draws of Z: from the smallest to the largest, the marker at the largest."""
    return curves(
        data.groupby(["setting", "t"], sort=False)[column].agg(["min", "max"]).reset_index(),
        "t",
        "max",
        low="min",
        at_most=1,
        series="{setting}",
        axes=("$T$", f"{LABELS[column]}, worst neighbours"),
        log="x",
    )
