"""Typed input: pydantic models that refuse unknown keys, and one-line errors."""

import json
import math
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from dpbandits.core.errors import InputError, nearest


class Model(BaseModel):
    """Base of settings and config: immutable, complete defaults, no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


LEAST_EPSILON = 1e-100  # below, the noise would overflow to infinity sooner or later

AnyModel = TypeVar("AnyModel", bound=BaseModel)


def parse(model: type[AnyModel], data: Any, where: str) -> AnyModel:
    """Validate `data`; on failure say where, which key and value, and what is allowed."""
    if not isinstance(data, dict):
        raise InputError(f"{where}: expected key-value pairs, got {shown(data)}")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise InputError(explain(error, model, where)) from None


def explain(error: ValidationError, model: type[BaseModel], where: str) -> str:
    """The first complaint of pydantic in one line, with the nearest key for a typo."""
    complaints = error.errors(include_url=False)
    # a misspelt key also leaves its right name missing: speak of the spelling
    first = min(complaints, key=lambda complaint: complaint["type"] != "extra_forbidden")
    path = [str(part) for part in first["loc"]]
    place = f"{where}: {'.'.join(path)}" if path else where
    more = len(complaints) - 1
    tail = f" (and {more} more)" if more else ""
    if first["type"] == "extra_forbidden":
        keys = _keys_at(model, first["loc"][:-1])
        return f"{place}: unknown key '{path[-1]}'; {nearest(path[-1], keys)}{tail}"
    if first["type"] == "missing":
        lacking = [".".join(map(str, c["loc"])) for c in complaints if c["type"] == "missing"]
        if len(lacking) > 1:
            return f"{where}: these keys are required: {', '.join(lacking)}"
        return f"{place}: this key is required{tail}"
    message = first["msg"].removeprefix("Value error, ")
    return f"{place} = {shown(first['input'])}: {message}{tail}"


def _keys_at(model: type[BaseModel], location: tuple) -> list[str]:
    """The keys allowed at a place inside nested models (lists and mappings are stepped through)."""
    for part in location:
        field = model.model_fields.get(str(part))
        inner = _inner_model(field.annotation) if field else None
        model = inner or model
    return [field.alias or name for name, field in model.model_fields.items()]


def _inner_model(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    candidates = (_inner_model(part) for part in getattr(annotation, "__args__", ()))
    return next((model for model in candidates if model), None)


def shown(value: Any) -> str:
    """A value as it stands in an error line: short, on one line."""
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def canonical(setting: BaseModel) -> str:
    """One spelling per setting: every default filled in, keys sorted, numbers of one type."""
    return json.dumps(setting.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))


def parse_epsilon(value: Any, where: str = "epsilon") -> float:
    """A privacy parameter: a number above 0, or `inf`."""
    try:
        epsilon = float(value)
    except (TypeError, ValueError):
        epsilon = math.nan
    if isinstance(value, bool) or not epsilon > 0:
        raise InputError(f"{where} = {shown(value)}: allowed: a number above 0, or inf")
    if epsilon < LEAST_EPSILON:
        raise InputError(f"{where} = {shown(value)}: allowed: from {LEAST_EPSILON:g}, or inf")
    return epsilon
