"""FL's figures of refuted statements."""

from dpbandits.reproduction.plots.claims import curve, refuted

refuted("fl")
curve("FL-T3.2", title="Theorem 3.2: a policy that ignores all data, below the lower bound")
curve("FL-T5.1", title="Theorem 5.1: the real ε beside the claimed one")
