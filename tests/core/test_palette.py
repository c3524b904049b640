"""The best colours of a picture are those that Pillow finds, to the pixel."""

import numpy as np
import pytest
from PIL import Image

from dpbandits.core.palette import with_palette


def noise(rng):
    return rng.integers(0, 256, (50, 60, 3))


def few_colours(rng):
    return 80 * rng.integers(0, 4, (50, 60, 3))


def two_colours(rng):
    return 255 * rng.integers(0, 2, (9, 9, 1)).repeat(3, axis=2)


def soft(rng):
    return rng.normal(200, 20, (50, 60, 3)).clip(0, 255)


def greys(rng):
    """On a line many entries are equally far from a colour."""
    return rng.integers(0, 256, (50, 60, 1)).repeat(3, axis=2)


def mostly_white(rng):
    """As a drawing is: lines with soft edges."""
    return np.where(rng.random((50, 60, 1)) < 0.9, 255, rng.integers(0, 256, (50, 60, 3)))


@pytest.mark.parametrize("kind", [noise, few_colours, two_colours, soft, greys, mostly_white])
@pytest.mark.parametrize("size", [2, 16, 128])
def test_they_are_pillows(kind, size):
    for seed in range(3):
        picture = Image.fromarray(kind(np.random.default_rng(seed)).astype(np.uint8))
        coverage = {"method": Image.Quantize.MAXCOVERAGE, "dither": Image.Dither.NONE}
        pillows = picture.quantize(size, kmeans=1, **coverage)
        ours = with_palette(np.asarray(picture.convert("RGBA")), size)
        assert np.array_equal(np.asarray(ours), np.asarray(pillows))
        assert ours.getpalette()[: 3 * size] == pillows.getpalette()[: 3 * size]
        before = picture.quantize(size, kmeans=0, **coverage)
        if kind in (noise, soft):  # else this would say nothing about k-means
            assert not np.array_equal(np.asarray(before), np.asarray(pillows))
