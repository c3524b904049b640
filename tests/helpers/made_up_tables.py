"""What tests by hand share: numbers that are the same, and tables of made-up rows."""

import pandas as pd
import pytest

from dpbandits.core.errors import ProofError


def same(found, expected):
    assert found == pytest.approx(expected, rel=1e-12)


def table(columns, *rows, **shared):
    return pd.DataFrame(rows, columns=columns.split()).assign(**shared)


def one(made):
    """A claim's `tables`: this one, by whatever name."""
    return lambda name: made


def word(found):
    """The verdict of the first reading that a check found."""
    found = [*found.values()] if isinstance(found, dict) else found
    return (found[0] if isinstance(found, list) else found).verdict


def outcome(check, *arguments):
    """The verdict of a check's first reading; `stops` where it contradicts a proof of ours."""
    try:
        return word(check(*arguments))
    except ProofError:
        return "stops"
