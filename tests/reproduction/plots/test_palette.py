"""Colours of figures are told apart by all readers, and seen on white."""

import math
from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from dpbandits.reproduction.plots.style import EPSILONS, METHODS, epsilon_look

SIGHT = {  # Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB
    "all cones": np.eye(3),
    "protanopia": np.array([
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ]),
    "deuteranopia": np.array([
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]),
}  # fmt: skip
XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                [0.0193339, 0.1191920, 0.9503041]])  # fmt: skip
IN_ONE_FIGURE = [  # values of epsilon: config/*.yaml
    (0.01, 0.1, 1), (0.25, 0.5, 1), (0.5, 1, 2, 5, 10, math.inf), (0.1, 0.5, 1, 5, math.inf),
    (0.1, 1, 5, 20, 100),
]  # fmt: skip


def linear(colour):
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(colour, sight):
    """CIE 1976 L*a*b* of what is seen."""
    xyz = XYZ @ np.clip(sight @ linear(colour), 0, 1) / XYZ.sum(axis=1)
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def least_difference(colours, sight):
    """Delta E (CIE 1976) of the two nearest."""
    seen = [lab(colour, SIGHT[sight]) for colour in colours]
    return min(np.linalg.norm(a - b) for a, b in combinations(seen, 2))


def test_difference_of_known_colours():
    assert least_difference(["#000000", "#ffffff"], "all cones") == pytest.approx(100, abs=1e-3)
    assert least_difference(["#D55E00", "#8C6D00"], "protanopia") == pytest.approx(2.4, abs=0.05)


@pytest.mark.parametrize("sight", SIGHT)
def test_methods_differ(sight):
    assert least_difference(METHODS, sight) > 26


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("epsilons", IN_ONE_FIGURE)
def test_epsilons_of_one_figure_differ(epsilons, sight):
    assert least_difference([epsilon_look(e)["color"] for e in epsilons], sight) > 10.5


def test_order_of_lightness_and_markers_of_epsilons():
    looks = [epsilon_look(epsilon) for epsilon in sorted(EPSILONS)]
    light = [lab(look["color"], np.eye(3))[0] for look in looks]
    assert light == sorted(light, reverse=True)
    assert len({look["marker"] for look in looks}) == len(looks)


def test_contrast_on_white():
    for colour in [*METHODS, *(epsilon_look(epsilon)["color"] for epsilon in EPSILONS)]:
        assert 1.05 / (XYZ[1] @ linear(colour) + 0.05) >= 3, colour
