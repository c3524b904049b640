"""HU's figures of refuted statements."""

from dpbandits.reproduction.plots.claims import curve, refuted

refuted("hu")
curve("HU-T8", title="Theorem 8: the privacy loss tends to twice ε as epochs get longer", log="x")
curve("HU-T9", title="Theorem 9: regret over the printed bound as ε falls")
