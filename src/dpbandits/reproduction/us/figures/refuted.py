"""US's figures of refuted statements."""

from dpbandits.reproduction.plots.claims import curve, refuted

refuted("us")
curve(
    "US-L4.4",
    reading="fixed-kernel",
    title="Lemma 4.4: the norm on a fixed kernel beside its printed bound",
    y="operator norm",
    names={"": "true norm, at least, with probability 0.94", "at_most": "printed bound"},
    we_see=lambda data: (
        f"The printed bound falls to {data['at_most'].min():.2g} with T, but the "
        f"norm stays at {data['measured'].min():.2g} or more."
    ),
)
