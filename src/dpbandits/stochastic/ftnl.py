"""Naive Follow-the-Noisy-Leader (HU Section 5): every action's sum alone is (eps/K)-private."""

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import PURE
from dpbandits.stochastic.engine.kept_binomials import room
from dpbandits.stochastic.engine.noisy_leader import EPOCHS, LAPLACE, Rule, simulate_epochs
from dpbandits.stochastic.engine.play import run_all
from dpbandits.stochastic.problem import StochasticSetting


@algorithm(
    "ftnl",
    setting=StochasticSetting,
    source="HU Section 5",
    claim="assumed: proved in docs/proofs/HU.md, Section 5",
    notion=PURE,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    rule = Rule(LAPLACE, len(setting.means) / epsilon)
    laws = room(EPOCHS * len(setting.means))
    return run_all(simulate_epochs, setting, horizon, streams, checkpoints, rule, laws)
