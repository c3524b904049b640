"""Losses of known mechanisms, exact or certified. Read in this order: balls (interval arithmetic),
selection (who wins a noisy argmax), composition (of Laplace noise), calibrate, laplace. Mechanisms
of one problem are in its folder."""
