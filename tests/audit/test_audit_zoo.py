"""No right program of the zoo is refuted, and of no broken one it is said that no leak was seen."""

from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
import zoo_table

from dpbandits.audit.replayed import exact, judge

ROWS = zoo_table.read()


def try_less():
    """Sample two pairs that look like a leak, to choose one, not twelve; enumerate fewer ways."""
    judge.SUSPECTS, exact.MOST_ALL = 2, 4000


@pytest.fixture(scope="module")
def small():
    """A process that imports little, so that the many processes which it forks cost little."""
    with ProcessPoolExecutor(1, get_context("spawn"), try_less) as pool:
        yield pool


@pytest.mark.parametrize(("file", "name"), list(zoo_table.programs()))
def test_no_program_is_refuted_or_cleared_wrongly(file, name, small):
    """With fewer runs than the table; of a broken one none, as samples clear nothing. With another
    seed a right one is refuted with probability 1e-6."""
    label, _ = zoo_table.programs()[file, name]
    settings = {"tries": 60, "runs": 700 * (label == "right")}
    answer = small.submit(zoo_table.answer, file, name, **settings).result()
    assert not zoo_table.bad(label, answer)


def test_the_table():
    assert {(r["set"], r["program"]) for r in ROWS} <= set(zoo_table.programs())
    kinds = Counter((r["label"], r["answer"]) for r in ROWS)
    assert not any(zoo_table.bad(*kind) for kind in kinds)
    broken = sum(n for (label, _), n in kinds.items() if label == "broken")
    assert kinds["broken", "refuted"] + kinds["broken", "suspected"] >= 0.8 * broken
    assert kinds["right", "suspected"] <= 0.1 * (len(ROWS) - broken)
    text = zoo_table.PAGE.read_text(encoding="utf-8")
    assert "\n".join([zoo_table.HEAD, *zoo_table.lines_of(ROWS)]) in text
    middle, most = np.quantile([float(r["seconds"]) for r in ROWS], [0.5, 0.95])
    assert middle < 3
    assert most < 20
    first = zoo_table.read(zoo_table.FIRST)
    assert "\n".join(zoo_table.lines_of(first, ["blind2"])) in text
