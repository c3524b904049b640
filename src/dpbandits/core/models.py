"""Typed input: pydantic models that refuse unknown keys, and errors of one line."""

import json
import math
import numbers
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core.core_schema import no_info_before_validator_function

from dpbandits.core.errors import InputError, nearest


def is_number(value: Any) -> Any:
    """The value, if it is a number of Python or NumPy; texts and truth values are none."""
    if isinstance(value, numbers.Number) and not isinstance(value, bool):
        return value
    raise ValueError("allowed: a number")


def _only_numbers(schema: Any) -> None:
    """Put `is_number` before each number in a schema of pydantic, and make truth values strict."""
    for part in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(part, dict | list):
            _only_numbers(part)
    kind = schema.get("type") if isinstance(schema, dict) else None
    if kind in ("int", "float"):
        inner = dict(schema)
        schema.clear()
        schema.update(no_info_before_validator_function(is_number, inner))
    elif kind == "bool":
        schema["strict"] = True


class Model(BaseModel):
    """Base of settings and config: immutable, complete defaults, no unknown keys, and no texts or
    truth values for numbers."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @classmethod
    def __get_pydantic_core_schema__(cls, source, handler):
        schema = handler(source)
        _only_numbers(handler.resolve_ref_schema(schema))
        return schema


LEAST_EPSILON = 1e-100  # smaller ones would make the noise overflow to infinity

AnyModel = TypeVar("AnyModel", bound=BaseModel)


def parse(model: type[AnyModel], data: Any, where: str) -> AnyModel:
    """Validate `data`; on failure say where, which key and value, and what is allowed."""
    if not isinstance(data, dict):
        raise InputError(f"{where}: expected key-value pairs, got {shown(data)}")
    if odd := [key for key in data if not isinstance(key, str)]:
        raise InputError(f"{where}: key {shown(odd[0])}: allowed: names")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise InputError(explain(error, model, where)) from None
    except (RecursionError, OverflowError) as error:
        raise InputError(f"{where}: {error}") from None


def explain(error: ValidationError, model: type[BaseModel], where: str) -> str:
    """The first error of pydantic in one line, with the nearest key for a typo."""
    errors = error.errors(include_url=False)
    # a misspelt key is also missing under its right name: report the misspelling
    first = min(errors, key=lambda e: e["type"] != "extra_forbidden")
    path = [str(part) for part in first["loc"] if "[" not in str(part)]  # no types of a union
    place = f"{where}: {'.'.join(path)}" if path else where
    tail = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    if first["type"] == "extra_forbidden":
        keys = _keys_at(model, first["loc"][:-1])
        return f"{place}: unknown key '{path[-1]}'; {nearest(path[-1], keys)}"
    if first["type"] == "missing":
        missing = [".".join(map(str, e["loc"])) for e in errors if e["type"] == "missing"]
        if len(missing) > 1:
            return f"{where}: these keys are required: {', '.join(missing)}"
        return f"{place}: this key is required{tail}"
    message = first["msg"].removeprefix("Value error, ")
    return f"{place} = {shown(first['input'])}: {message}{tail}"


def _keys_at(model: type[BaseModel], location: tuple) -> list[str]:
    """The keys allowed at a location inside nested models, also in lists and mappings of them."""
    for part in location:
        field = model.model_fields.get(str(part))
        model = (field and _inner_model(field.annotation)) or model
    return [field.alias or name for name, field in model.model_fields.items()]


def _inner_model(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    models = (_inner_model(part) for part in getattr(annotation, "__args__", ()))
    return next(filter(None, models), None)


def shown(value: Any) -> str:
    """A value for an error message: on one line, at most 60 characters."""
    try:
        text = json.dumps(value, default=str)
    except Exception:  # an integer of thousands of digits, no end, or whatever a `__str__` raises
        text = f"a strange {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


def canonical(setting: BaseModel) -> str:
    """A setting as JSON with all defaults and sorted keys: equal settings give equal texts."""
    return json.dumps(setting.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))


def state_of(algorithm: Any) -> list[str]:
    """The names of an algorithm's state: what its class and those above it declare."""
    classes = reversed(type(algorithm).__mro__)
    return list(dict.fromkeys(name for c in classes for name in vars(c).get("state", ())))


def as_whole_number(value: Any, where: str, least: int, most: int = 2**53) -> int:
    """A whole number of Python or NumPy; texts and floats are refused."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not (whole and least <= value <= most):
        limit = "2^53" if most == 2**53 else most
        raise InputError(
            f"{where} = {shown(value)}: allowed: a whole number from {least} to {limit}"
        )
    return int(value)


def parse_epsilon(value: Any, where: str = "epsilon") -> float:
    """A privacy parameter: a number above 0, or `inf`."""
    try:
        epsilon = float(value)
    except (TypeError, ValueError, OverflowError):
        epsilon = math.nan
    if isinstance(value, str) and not (value.isascii() and "_" not in value):
        epsilon = math.nan
    if isinstance(value, str) and math.isinf(epsilon) and "inf" not in value.lower():
        epsilon = math.nan  # 1e999 is no privacy at all: not what was typed
    if isinstance(value, bool) or not epsilon > 0:
        raise InputError(f"{where} = {shown(value)}: allowed: a number above 0, or inf")
    if epsilon < LEAST_EPSILON:
        raise InputError(f"{where} = {shown(value)}: allowed: from {LEAST_EPSILON:g}, or inf")
    return epsilon


def as_array(values: Any, where: str, shape: tuple[int, ...]):
    """Finite numbers as a NumPy array of this shape; () is one number."""
    import numpy as np  # here: settings alone do not need it

    try:
        array = floats(values)
    except Exception:  # whatever an object raises: its text may have the value
        raise InputError(f"{where}: allowed: numbers") from None
    if array.shape != shape:
        allowed = " x ".join(map(str, shape)) + " numbers" if shape else "one number"
        raise InputError(f"{where} of shape {array.shape}: allowed: {allowed}")
    if not np.isfinite(array).all():
        raise InputError(f"{where}: NaN or infinity among them; allowed: finite numbers")
    return array


def floats(values: Any):
    """A NumPy array of numbers; of texts, dates, complex numbers, masked ones and objects
    TypeError."""
    import numpy as np

    array = np.array(values)
    parts = array.ravel().tolist() if array.dtype.kind == "O" else ()
    masked = type(values) is not np.ndarray and np.ma.is_masked(np.ma.array(values))
    if (
        masked
        or array.dtype.kind not in "biufO"
        or not all(isinstance(part, numbers.Number) for part in parts)
    ):
        raise TypeError("not numbers")
    return array.astype(float)


def as_reward(value: Any, least: float, most: float, clip: bool) -> float:
    """One number in this range (also a truth value, or a NumPy array of no axes); with `clip`
    others are moved to its ends."""
    single = hasattr(value, "item") and not getattr(value, "ndim", 0)
    number = value.item() if single else value
    given = isinstance(number, numbers.Number) and not (single and getattr(value, "mask", False))
    try:
        reward = float(number) if given else math.nan
    except (TypeError, ValueError, OverflowError):
        reward = math.nan
    if clip and not math.isnan(reward):
        reward = min(max(reward, least), most)
    if not (least <= reward <= most and math.isfinite(reward)):
        inside = f"one number from {least:g} to {most:g} (or rewards='clip')"
        allowed = inside if math.isfinite(most) else "one finite number"
        raise InputError(f"reward: allowed: {allowed}")  # without the value: errors are logged
    return reward
