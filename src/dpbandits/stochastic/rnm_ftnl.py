"""RNM-FTNL (HU Algorithm 4): full information, report-noisy-max over doubling epochs.

`printed` adds Lap(1/eps) to every sum. Replacing a reward vector may raise one sum and lower
another by 1 each, and then report-noisy-max loses up to 2 eps (claim HU-T8); `corrected` adds
Lap(2/eps), which gives eps for sums that move by at most 1 in any directions (Dwork and Roth).
"""

from dpbandits.core.algorithms import algorithm
from dpbandits.stochastic.engine.noisy_leader import simulate_epochs
from dpbandits.stochastic.engine.play import run_all
from dpbandits.stochastic.problem import RnmFtnlSetting


@algorithm("rnm-ftnl", setting=RnmFtnlSetting, source="HU Algorithm 4", claim="HU-T8")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    scale = {"printed": 1.0, "corrected": 2.0}[setting.variant] / epsilon
    return run_all(simulate_epochs, setting, horizon, streams, checkpoints, scale)
