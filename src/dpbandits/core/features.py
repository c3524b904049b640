"""Contexts from dictionaries, by public ranges and categories.

    features = dpbandits.scale({"age": (18, 90), "country": ["de", "fr", "other"]})
    learner = dpbandits.learner("dp-linear", d=features.d, norm=1, ...)
    learner.act(features({"age": 44, "country": "fr"}), ...)

No statistics of the data: means and standard deviations of people would need privacy of their own.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dpbandits.core.errors import InputError, Watch, refuse_unknown
from dpbandits.core.models import Model, Range, as_reward, parse


class _Range(Model):
    range: Range


class Scale:
    """From a dictionary to a vector of norm at most 1: a number goes from its range to [-1, 1],
    those outside to its ends, a category is 1 in a place of its own; all over the square root of
    the number of features."""

    def __init__(self, features: Mapping[str, tuple[float, float] | Sequence]):
        if not isinstance(features, Mapping) or not features:
            raise InputError("scale: allowed: a dictionary of ranges and lists of categories")
        self.features: dict[str, Any] = {}
        self.names: list[str] = []  # of the entries
        for name, given in features.items():
            if not isinstance(name, str):
                raise InputError("scale: allowed: texts as names of features")
            if isinstance(given, tuple):
                if len(given) != 2 or any(isinstance(x, str) for x in given):
                    raise InputError(
                        f"scale: {name}: allowed: (lowest, highest), or a list of categories: "
                        '["a", "b"]'
                    )
                self.features[name] = parse(_Range, {"range": given}, f"scale: {name}").range
                self.names.append(name)
                continue
            if not isinstance(given, list) or len({_key(x) for x in given}) < max(2, len(given)):
                raise InputError(
                    f"scale: {name}: allowed: (lowest, highest), or a list of different categories"
                )
            self.features[name] = {_key(x): place for place, x in enumerate(given)}
            self.names += [f"{name} = {x}" for x in given]
        outside = "scale: most values of {} are outside its range"
        self.outside = {name: Watch(outside.format(name)) for name in self.features}

    @property
    def d(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<scale: {self.d} entries: {', '.join(self.names)}>"

    def __call__(self, values: Mapping[str, Any]) -> np.ndarray:
        if not isinstance(values, Mapping):
            raise InputError("context: allowed: a dictionary")
        refuse_unknown(map(str, values), self.features, "context")
        if missing := [name for name in self.features if name not in values]:
            raise InputError(f"context: {missing[0]} is missing")
        parts = [self._entries(name, values[name]) for name in self.features]
        return np.concatenate(parts) / math.sqrt(len(parts))

    def _entries(self, name: str, value: Any) -> np.ndarray:
        known = self.features[name]
        if isinstance(known, dict):
            entries = np.zeros(len(known))
            try:
                entries[known[_key(value)]] = 1.0
            except Exception:  # without the value: errors are logged
                raise InputError(f"context: {name}: allowed: one of its categories") from None
            return entries
        low, high = known
        try:
            number = as_reward(value, -math.inf, math.inf, clip=False)
        except Exception:
            raise InputError(f"context: {name}: allowed: a finite number") from None
        if self.outside[name].left:
            self.outside[name].look(not low <= number <= high, 3)
        return np.array([2 * (min(max(number, low), high) - low) / (high - low) - 1])


def _key(category: Any) -> str:
    return repr(category.item() if isinstance(category, np.generic) else category)


def scale(features: Mapping[str, tuple[float, float] | Sequence]) -> Scale:
    """How to make contexts of dictionaries: for each feature its public (lowest, highest) value, a
    tuple, or the list of its categories."""
    return Scale(features)
