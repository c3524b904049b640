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


def outcome(check, *arguments, **more):
    """The verdict of a check's first reading; `stops` where it contradicts a proof of ours, or its
    plot contradicts it."""
    try:
        found = check(*arguments, **more)
    except ProofError:
        return "stops"
    first = next(iter(found.values())) if isinstance(found, dict) else found
    parts = [first.points] if hasattr(first.points, "columns") else first.points
    contrary = any(part["beyond"].any() for part in parts) == (first.verdict == "holds")
    return "stops" if first.verdict in ("holds", "violated") and contrary else first.verdict
