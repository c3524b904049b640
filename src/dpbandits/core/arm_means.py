"""What a learner says about the means of its arms, for those that release sums of rewards."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field

from dpbandits.core.errors import InputError
from dpbandits.core.models import Model, parse, whole
from dpbandits.core.requests import Requests


class Sure(Model):
    confidence: Annotated[float, Field(gt=0, lt=1)]


class ArmMeans:
    """Of a `Learner`; the computation is that of its algorithm (`inference`)."""

    algorithm: Any
    asks: Requests
    _about: dict[str, Any]
    _call: Any

    def intervals(self, confidence: float = 0.95) -> list[tuple[float, float]]:
        """(low, high) of each arm's mean reward: all hold at all times at once, with a confidence
        that is fixed beforehand, whichever rule has chosen the arms. From what has been released,
        at no further epsilon; so are the two that follow."""
        low, high = self.asks.range or (0.0, 1.0)
        found = self._ask("intervals", confidence, lambda says: says.intervals(confidence))
        return [(low + (high - low) * a, low + (high - low) * b) for a, b in found]

    def difference(self, a: int, b: int, confidence: float = 0.95) -> tuple[float, float]:
        """(low, high) of a's mean reward minus b's; all pairs of arms at once."""

        def of_both(says):
            if len(self.asks.arms("difference", (a, b))) < 2:
                raise InputError("difference: allowed: two arms")
            return says.difference(whole(a), whole(b), confidence)

        low, high = self.asks.range or (0.0, 1.0)
        ends = self._ask("difference", confidence, of_both)
        return (high - low) * ends[0], (high - low) * ends[1]

    def best(self, confidence: float = 0.95):
        """The arm of the largest mean reward: `arm` is None until it is known; `evidence` of what
        is `needed` (both are logarithms) says how far that is. Asked as often as you like."""
        return self._ask("best", confidence, lambda says: says.best(confidence))

    def _ask(self, what: str, confidence: float, answer: Callable[[Any], Any]):
        algorithm, about = self.algorithm, self._about
        parse(Sure, {"confidence": confidence}, what)
        if not algorithm.releases_sums:
            name = about["algorithm"]
            raise InputError(f"{what}: {name} does not release sums of rewards; na-imed does")
        if about["contributions"] > 1:
            raise InputError(f"{what}: allowed: with contributions=1 (independent rewards)")

        def call():
            return answer(
                algorithm.inference(algorithm.K - about["arms"], about["rewards"] == "binary")
            )

        return self._call(what, call, write=False)
