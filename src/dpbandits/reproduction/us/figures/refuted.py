"""US's figures of refuted statements."""

from dpbandits.reproduction.plots.claims import curve, refuted
from dpbandits.reproduction.us.claims.spectral import CHANCE

refuted("us")
curve(
    "US-L4.4",
    reading="fixed-kernel",
    title="Lemma 4.4: the norm on a fixed kernel beside its printed bound",
    y="operator norm",
    names={"": f"true norm, at least, with probability {CHANCE}", "at_most": "printed bound"},
    note="kernel ½ + (3/π²) Σⱼ cos j(x − y)/j², uniform contexts on the circle, τ = 1, δ = 0.05: "
    "by the lemma the norm exceeds its bound with probability δ at most; in truth it does so with "
    f"{CHANCE} or more",
)
