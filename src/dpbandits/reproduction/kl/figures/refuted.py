"""KL's figure of all refuted statements."""

from dpbandits.reproduction.plots.claims import refuted

refuted("kl")
