"""Losses of known mechanisms, exact or certified. Read in this order: balls (interval arithmetic),
selection (who wins a noisy argmax), then the mechanisms, each with its calibration."""
