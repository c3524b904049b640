"""`dpbandits audit kl-mab`, `calibrate kl-mab`: arms, on a user's data."""

from dpbandits.core.mechanisms import Calibration, PrivacyLoss, TableText, calibrator, mechanism
from dpbandits.offline.policy import BanditPolicy
from dpbandits.offline.problem import BanditSetting
from dpbandits.offline.tuning import calibrated, target_of

ARMS = {"data": TableText("arm,reward\n" + "0,1\n0,0.5\n0,0\n1,1\n1,0\n" * 3), "beta0": 0.25}
EXAMPLES = (ARMS, ARMS | {"neighbours": "swap"})


@mechanism("kl-mab", params=BanditSetting, examples=tuple(e | {"eta": 0.5} for e in EXAMPLES))
def audit(params: BanditSetting, at_epsilon=()) -> PrivacyLoss:
    return BanditPolicy(params).loss(at_epsilon=at_epsilon)


@calibrator("kl-mab", params=target_of(BanditSetting), examples=EXAMPLES[:1])
def calibrate(params, target_epsilon, target_delta=0.0) -> Calibration:
    return calibrated("kl-mab", params, target_epsilon, target_delta)
