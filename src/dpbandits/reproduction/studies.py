"""Studies: computations behind a table that are not simulations; and tables read as declared.

# src/dpbandits/reproduction/hu/studies/my_study.py
@study("hu/my_study", params=Params, runs=("lazy-dp-ts",))
def compute(params): ...  # a pandas.DataFrame
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from dpbandits.core.algorithms import allow_only
from dpbandits.core.errors import InputError
from dpbandits.core.models import parse
from dpbandits.core.registry import Registry
from dpbandits.reproduction.papers import registry_of


@dataclass(frozen=True)
class Study:
    """A computation that is not a simulation: typed parameters in, one table out."""

    name: str
    compute: Callable[[Any], Any]
    params: type[BaseModel]
    module: str
    runs: tuple[str, ...] = ()  # names of algorithms

    def table(self, params: dict[str, Any]):
        with allow_only(self.runs):
            return self.compute(parse(self.params, params, "params"))


STUDIES: Registry[Study] = registry_of("study", "studies")


def study(name: str, *, params: type[BaseModel], runs: tuple[str, ...] = ()):
    """Register `compute(params) -> pandas.DataFrame` under `PAPER/name`, e.g. "kl/tightness".
    runs: the names of algorithms that it runs; an edit of any of them then makes the table anew."""
    return STUDIES.register(name, lambda f: Study(name, f, params, f.__module__, runs))


def get_study(name: str, where: str = "") -> Study:
    return STUDIES.get(name, where)


def table_of(paper: str, name: str) -> tuple[str, str]:
    """(paper, name) of a table that a claim reads: of its own paper, or as PAPER/NAME."""
    own, slash, other = name.partition("/")
    return (own, other) if slash else (paper, name)


def only_declared(tables: Callable[[str], Any], reads: Iterable[str], who: str):
    """The tables, of which those not in `reads` are refused; `who` names the claim or figure."""

    def read(name: str):
        if name not in reads:
            raise InputError(f"{who} reads table '{name}'; name it in its `reads`")
        return tables(name)

    return read
