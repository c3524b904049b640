"""KL-UCB (Garivier and Cappe 2011), not private: max{q: n kl(mean, q) <= ln t}."""

from dpbandits.core.algorithms import algorithm
from dpbandits.stochastic.engine.guarded import simulate_guarded
from dpbandits.stochastic.engine.play import run_all
from dpbandits.stochastic.problem import StochasticSetting


@algorithm("kl-ucb", setting=StochasticSetting, source="Garivier and Cappe 2011")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    return run_all(simulate_guarded, setting, horizon, streams, checkpoints, True)
