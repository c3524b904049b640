"""Typed input: pydantic models that refuse unknown keys, and errors of one line."""

import json
import math
import numbers
import operator
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
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


def _epsilon(value: float) -> float:
    if not value >= LEAST_EPSILON:
        raise ValueError(f"allowed: a number above 0 (from {LEAST_EPSILON:g}), or inf")
    return value


def _ascending(ends: tuple[float, float]) -> tuple[float, float]:
    if not ends[0] < ends[1] or math.isinf(ends[1] - ends[0]):
        raise ValueError("allowed: (lowest, highest), two numbers, the first one lower")
    return ends


# Numbers that are given beside settings, as fields of a Model
Whole = Annotated[int, Field(ge=0, le=2**53)]
Count = Annotated[int, Field(ge=1, le=2**53)]
Several = Annotated[int, Field(ge=2, le=2**53)]
Epsilon = Annotated[float, Field(allow_inf_nan=True), AfterValidator(_epsilon)]
Range = Annotated[tuple[float, float], AfterValidator(_ascending)]


class Horizon(Model):
    """The rounds of a learner that must know them."""

    horizon: Count


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


BOUNDS = ("ge", "at least"), ("gt", "above"), ("le", "at most"), ("lt", "below")


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
    limits = [(words, first["ctx"][key]) for key, words in BOUNDS if key in first.get("ctx", ())]
    for words, limit in limits:
        message = (
            f"allowed: {words} {limit:g}"
            if isinstance(limit, float)
            else f"allowed: {words} {limit}"
        )
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


def state_of(algorithm: Any, kind: str = "state") -> list[str]:
    """The names of an algorithm's state: what its class and those above it declare. kind: "logs",
    of those that are lists which grow at their end, or are begun anew."""
    classes = reversed(type(algorithm).__mro__)
    return list(dict.fromkeys(name for c in classes for name in vars(c).get(kind, ())))


def whole(value: Any) -> int:
    """A whole number of Python or NumPy as Python's; ValueError or TypeError if it is none."""
    return operator.index(is_number(value))


def as_array(values: Any, where: str, shape: tuple[int, ...]):
    """Finite numbers as a NumPy array of this shape; () is one number. No text is read as one."""
    import numpy as np  # here: settings alone do not need it

    try:
        array = np.array(values)
        parts = array.ravel().tolist() if array.dtype.kind == "O" else ()
        masked = type(values) is not np.ndarray and np.ma.is_masked(np.ma.array(values))
        if (
            masked
            or array.dtype.kind not in "biufO"
            or not all(isinstance(part, numbers.Number) for part in parts)
        ):
            raise TypeError("texts, dates, complex or masked numbers, objects")
        array = array.astype(float)
    except Exception:  # whatever an object raises: its text may have the value
        raise InputError(f"{where}: allowed: numbers") from None
    if array.shape != shape:
        allowed = " x ".join(map(str, shape)) + " numbers" if shape else "one number"
        raise InputError(f"{where} of shape {array.shape}: allowed: {allowed}")
    if not np.isfinite(array).all():
        raise InputError(f"{where}: NaN or infinity among them; allowed: finite numbers")
    return array


def as_reward(value: Any, least: float, most: float, clip: bool) -> float:
    """One number in this range (also a truth value, or a NumPy array of no axes); with `clip`
    others are moved to its ends."""
    if type(value) is float and least <= value <= most and math.isfinite(value):
        return value  # most rewards: what follows takes longer
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
