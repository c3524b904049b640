"""The programs that are audited: functions of data and a generator, and learners."""

import copy
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbandits.audit.engine.outcomes import same
from dpbandits.audit.recorded.generator import NotedGenerator, RecordedGenerator
from dpbandits.audit.recorded.tape import RecordedNoise
from dpbandits.core.learner import DEFAULTS, Learner
from dpbandits.core.port import SimulatedNoise


@dataclass(frozen=True)
class Program:
    """`run(data, rng, tape)` gives its output, without a tape that of a usual run. joint: the
    decision for the user whose record changes is not compared. trusted: what its generator draws
    beside the noise may be used after it."""

    run: Callable[..., Any]
    joint: bool = False
    trusted: bool = False

    def seen(self, output, place: int | None):
        """What is compared of runs whose data differ at `place`."""
        return [x for i, x in enumerate(output) if i != place] if self.joint else output

    def same(self, first, second, place: int | None) -> bool:
        return same(self.seen(first, place), self.seen(second, place))


def function_program(function: Callable) -> Program:
    def run(data, rng, tape=None):
        if tape is None:
            return function(data, rng)
        tape.decisions.append(copy.deepcopy(function(data, RecordedGenerator(tape, rng))))
        return tape.decisions[0]

    return Program(run)


def learner_program(
    make: Callable, joint: bool = False, last=None, trusted=False, delay: int | None = None
) -> Program:
    """A learner's decisions, the last of them in the context `last`. With a delay the learner is
    behind the driver of a service, and a record ends with how many rounds later its reward comes
    (None: never)."""

    def run(data, rng, tape=None):
        if tape is None:
            learner, decisions = make(SimulatedNoise(rng), rng), []
        else:
            learner = make(RecordedNoise(tape), NotedGenerator(tape, rng))
            decisions, tape.most = tape.decisions, max(tape.most, 100 * len(data))
        context = getattr(learner, "takes_context", False)
        alone = len(inspect.signature(learner.update).parameters) == 1
        if delay is not None:
            service = DEFAULTS | {"name": "", "rewards": "clip", "delay": delay}
            learner, comes = Learner(learner, service | {"noise": "", "epsilon": 1.0}, None), {}
        read = getattr(learner, "read_context", lambda x: x)  # as the driver does
        for t, record in enumerate(data, start=1):
            parts = list(record) if context or delay is not None else [record]
            late = parts.pop() if delay is not None else None
            reward, *parts = parts.pop(), *map(read, parts)
            action = learner.act(*parts)
            decisions.append(int(action) if delay is not None else action)
            if delay is None:
                reward = np.array(reward, float) if np.ndim(reward) else float(reward)
                learner.update(*(() if alone else decisions[-1:]), reward, *parts)
                continue
            if late is not None:
                comes.setdefault(t + int(late), []).append((action.ticket, reward))
            for ticket, reward in comes.pop(t, ()):
                learner.update(reward, ticket)
        final = learner.act(*([read(last)] if context else []))
        decisions.append(int(final) if delay is not None else final)
        return decisions

    return Program(run, joint, trusted)
