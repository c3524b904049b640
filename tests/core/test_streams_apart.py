"""Streams with different coordinates share no numbers, whichever coordinate differs."""

import numpy as np
import pytest

from dpbandits.core import philox
from dpbandits.core.compiled import jit
from dpbandits.core.models import parse
from dpbandits.core.streams import Streams, key_of, streams_for
from dpbandits.stochastic.problem import StochasticSetting

SETTING = parse(StochasticSetting, {"means": [0.5, 0.4]}, "setting")
OTHER = parse(StochasticSetting, {"means": [0.5, 0.3]}, "setting")
BASE = ("ucb1", SETTING, 1.0, 10, range(3, 5))


@jit
def _words(stream, out):
    for i in range(len(out)):
        out[i] = philox.next_word(stream)


def words(streams: Streams, index: int = 0, count: int = 64) -> np.ndarray:
    out = np.empty(count, np.uint64)
    _words(streams.states()[index].copy(), out)
    return out


CHANGED = {
    "algorithm": ("ucb2", *BASE[1:]),
    "setting": (BASE[0], OTHER, *BASE[2:]),
    "epsilon": (*BASE[:2], 0.5, *BASE[3:]),
    "horizon": (*BASE[:3], 11, BASE[4]),
    "seeds": (*BASE[:4], range(4, 6)),
}


@pytest.mark.parametrize("coordinate", CHANGED)
@pytest.mark.parametrize("labels", [(), ("noise",), ("contexts", 3)])
def test_every_coordinate_changes_the_numbers_also_of_the_children(coordinate, labels):
    def drawn(coordinates):
        streams = streams_for(*coordinates)
        streams = streams.child(*labels) if labels else streams
        return set(words(streams).tolist()), set(streams.generator(0).random(64).tolist())

    for here, there in zip(drawn(BASE), drawn(CHANGED[coordinate]), strict=True):
        assert len(here) == len(there) == 64
        assert not here & there


def test_every_label_of_a_child_counts_and_so_does_their_order():
    parent = streams_for(*BASE)
    labels = [("a",), ("b",), ("a", 1), ("a", 2), (1, "a"), ("a", 1, 1), ("a1",), (1,), (1.0,)]
    keys = [parent.key] + [parent.child(*label).key for label in labels]
    assert len(set(keys)) == len(keys)
    assert parent.child("a").seeds == parent.seeds
    grandchild = parent.child("a").child("b").key
    assert grandchild not in (parent.child("a", "b").key, parent.child("b").child("a").key)


def test_states_are_key_seed_and_position():
    assert Streams(7, (3, 5)).states()[:, :3].tolist() == [[7, 3, 0], [7, 5, 0]]
    assert Streams(7, (3, 5)).states().dtype == np.uint64
    assert len(Streams(7, (3, 5))) == 2


def test_keys_do_not_run_their_parts_together():
    assert len({key_of("ab", "c"), key_of("a", "bc"), key_of("abc"), key_of("a", "b", "c")}) == 4
    assert key_of(0.1) != key_of(0.10000000000000002)
    assert key_of(1, 2) == key_of(1, 2)


def test_each_seed_has_its_own_numbers_wherever_it_stands():
    many, one = streams_for(*BASE), streams_for(*BASE[:4], range(4, 5))
    np.testing.assert_array_equal(words(many, 1), words(one, 0))
    assert not set(words(many, 0).tolist()) & set(words(many, 1).tolist())
    np.testing.assert_array_equal(many.generator(1).random(4), one.generator(0).random(4))


def test_no_overlap_in_the_first_million_draws():
    """All 64-bit words of five streams differ (by chance two would agree once in 10^6 keys)."""
    parent, stranger = streams_for(*BASE), streams_for(*CHANGED["epsilon"])
    streams = [(parent, 0), (parent, 1), (parent.child("x"), 0), (parent.child("y"), 0)]
    drawn = [words(s, i, 10**6) for s, i in [*streams, (stranger.child("x"), 0)]]
    in_order = np.sort(np.concatenate(drawn))  # np.unique takes a hundred times as long
    assert (in_order[1:] != in_order[:-1]).all()
