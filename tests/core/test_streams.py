"""Philox against its published vectors, and streams keyed by coordinates."""

import numpy as np
import pytest

from dpbandits.core import philox
from dpbandits.core.compiled import jit
from dpbandits.core.models import parse
from dpbandits.core.streams import AT_ONCE, WIDTH, Streams, streams_for
from dpbandits.stochastic.problem import RnmFtnlSetting, StochasticSetting

# Known answers of Philox-4x32-10 (kat_vectors of Random123): counter, key, output, 32-bit words.
KNOWN = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]


def word(low: int, high: int) -> np.uint64:
    return np.uint64(low | (high << 32))


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_philox_known_answers(counter, key, expected):
    """At every place of a block."""
    for place in range(AT_ONCE):
        stream = np.zeros(WIDTH, np.uint64)
        stream[:2] = word(*key), word(*counter[2:])
        philox.fill(stream, np.uint64((int(word(*counter[:2])) - place) % 2**64))
        words = [int(w) for w in stream[3 + place :: AT_ONCE]][:2]
        assert [half for w in words for half in (w & 0xFFFFFFFF, w >> 32)] == expected


SETTING = parse(StochasticSetting, {"means": [0.5, 0.4]}, "setting")
OTHER = parse(StochasticSetting, {"means": [0.5, 0.3]}, "setting")
BASE = ("ucb1", SETTING, 1.0, 10, range(3, 5))
CHANGED = {
    "algorithm": ("ucb2", *BASE[1:]),
    "setting": (BASE[0], OTHER, *BASE[2:]),
    "epsilon": (*BASE[:2], 0.5, *BASE[3:]),
    "horizon": (*BASE[:3], 11, BASE[4]),
    "seeds": (*BASE[:4], range(4, 6)),
}


@jit
def _words(stream, out):
    for i in range(len(out)):
        out[i] = philox.next_word(stream)


def words(streams: Streams, index: int = 0, count: int = 64) -> np.ndarray:
    out = np.empty(count, np.uint64)
    _words(streams.states()[index].copy(), out)
    return out


def test_equal_settings_have_the_same_stream():
    same = parse(StochasticSetting, {"means": [5e-1, 4e-1]}, "setting")
    assert streams_for(*BASE) == streams_for("ucb1", same, 1, 10, range(3, 5))
    short = parse(RnmFtnlSetting, {"means": [0.5, 0.4]}, "setting")
    full = parse(RnmFtnlSetting, {"variant": "phase", "means": [0.5, 0.4]}, "setting")
    assert streams_for("x", short, 1.0, 5, range(1)) == streams_for("x", full, 1.0, 5, range(1))


@pytest.mark.parametrize("coordinate", CHANGED)
@pytest.mark.parametrize("labels", [(), ("noise",), ("contexts", 3)])
def test_every_coordinate_changes_the_numbers_of_a_stream_and_its_children(coordinate, labels):
    def numbers(coordinates):
        streams = streams_for(*coordinates)
        streams = streams.child(*labels) if labels else streams
        return set(words(streams).tolist()), set(streams.generator(0).random(64).tolist())

    for before, after in zip(numbers(BASE), numbers(CHANGED[coordinate]), strict=True):
        assert len(before) == len(after) == 64
        assert not before & after


def test_numbers_of_a_seed_do_not_depend_on_its_index():
    many, one = streams_for(*BASE), streams_for(*BASE[:4], range(4, 5))
    np.testing.assert_array_equal(words(many, 1), words(one, 0))
    assert not set(words(many, 0).tolist()) & set(words(many, 1).tolist())
    np.testing.assert_array_equal(many.generator(1).random(4), one.generator(0).random(4))
