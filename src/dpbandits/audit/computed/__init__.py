"""Losses of known mechanisms, exact or certified. Read in this order: balls (interval arithmetic),
selection (who wins a noisy argmax), laplace with its calibration. Mechanisms of one problem are in
its folder."""
