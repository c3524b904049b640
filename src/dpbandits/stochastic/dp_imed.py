"""DP-IMED (Azize, Wu, Honda, Orabona, Ito and Basu 2025), one Binomial per phase."""

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import PURE
from dpbandits.stochastic.engine.phases import simulate_phases
from dpbandits.stochastic.engine.play import run_all
from dpbandits.stochastic.problem import GrowthSetting


@algorithm(
    "dp-imed",
    setting=GrowthSetting,
    source="Azize et al. 2025; the growth of the phases is our choice",
    claim="assumed: proved in docs/proofs/HU.md, Section 5",
    notion=PURE,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    parameters = (True, setting.growth, epsilon)
    return run_all(simulate_phases, setting, horizon, streams, checkpoints, *parameters)
