"""UCB1 (Auer, Cesa-Bianchi and Fischer 2002), not private: mean + sqrt(2 ln t/n)."""

from dpbandits.core.algorithms import algorithm
from dpbandits.stochastic.engine.guarded import simulate_guarded
from dpbandits.stochastic.engine.play import run_all
from dpbandits.stochastic.problem import StochasticSetting


@algorithm("ucb1", setting=StochasticSetting, source="Auer, Cesa-Bianchi and Fischer 2002")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    return run_all(simulate_guarded, setting, horizon, streams, checkpoints, False)
