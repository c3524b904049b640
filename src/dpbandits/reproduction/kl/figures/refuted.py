"""KL's figure of all refuted statements."""

from dpbandits.reproduction.plots.claims import refuted

refuted(
    "kl",
    "Ratios are those of the proved examples; larger ones, found by search, are in kl/tightness",
)
