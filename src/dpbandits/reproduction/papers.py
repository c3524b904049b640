"""The papers with what judges and draws them."""

from functools import cache

from dpbandits import reproduction
from dpbandits.core import registry
from dpbandits.core.registry import Paper


@cache
def papers() -> dict[str, Paper]:
    """Every paper by key, in order: our own, then those of other installed packages."""
    return registry.papers_in(reproduction.__name__, reproduction.__path__)


def key_of(module: str) -> str:
    """The key of the paper that holds a module, in either half; "" if none does."""
    return next((paper.key for paper in papers().values() if paper.holds(module)), "")
