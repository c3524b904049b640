"""US's figures of refuted statements."""

from dpbandits.reproduction.plots.claims import curve, refuted

refuted("us")
curve(
    "US-L4.4",
    reading="fixed-kernel",
    title="Lemma 4.4: the norm on a fixed kernel beside its printed bound",
)
