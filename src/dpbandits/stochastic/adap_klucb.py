"""AdaP-KLUCB (Azize and Basu 2022): adaptive episodes, one Binomial each."""

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import PURE
from dpbandits.stochastic.engine.adap import simulate_episodes
from dpbandits.stochastic.engine.play import run_all
from dpbandits.stochastic.problem import AdapSetting


@algorithm(
    "adap-klucb",
    setting=AdapSetting,
    source="Azize and Basu 2022, Section 4",
    claim="assumed: proved in docs/proofs/HU.md, Section 5",
    notion=PURE,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    parameters = (True, setting.alpha, 1 / epsilon)
    return run_all(simulate_episodes, setting, horizon, streams, checkpoints, *parameters)
