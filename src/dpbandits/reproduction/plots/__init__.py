"""The look of figures, formulas and captions; no simulation imports it."""
