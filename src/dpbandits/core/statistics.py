"""Slopes, bands and levels: the statistics that all papers share."""

import numpy as np


def fit_power(x: np.ndarray, y: np.ndarray, sem: np.ndarray | None = None) -> tuple[float, float]:
    """Slope of ln y on ln x and its standard error; weighted if standard errors of y are given."""
    x, y = np.log(np.asarray(x, float)), np.asarray(y, float)
    weights = np.ones_like(x) if sem is None else (y / np.asarray(sem, float)) ** 2
    centred = x - np.average(x, weights=weights)
    spread = np.sum(weights * centred**2)
    slope = np.sum(weights * centred * np.log(y)) / spread
    residual = np.log(y) - np.average(np.log(y), weights=weights) - slope * centred
    scale = np.sum(weights * residual**2) / max(1, len(x) - 2)
    if sem is not None:
        scale = max(1.0, scale)  # a poor fit widens the interval, a lucky one does not narrow it
    return float(slope), float(np.sqrt(scale / spread))
