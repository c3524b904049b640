"""`dpbandits audit kl-linear`, `calibrate kl-linear`: actions with features, on a user's data."""

from dpbandits.core.mechanisms import Calibration, PrivacyLoss, TableText, calibrator, mechanism
from dpbandits.offline.policy import LinearPolicy
from dpbandits.offline.problem import LinearSetting
from dpbandits.offline.tuning import calibrated, target_of

ACTIONS = TableText("x1\n1\n-1\n")
DATA = TableText("x1,reward\n" + "1,1\n0.5,0\n-1,1\n" * 2)
EXAMPLES = ({"data": DATA, "actions": ACTIONS, "neighbours": "remove", "beta0": 0.25},)


@mechanism("kl-linear", params=LinearSetting, examples=tuple(e | {"eta": 0.5} for e in EXAMPLES))
def audit(params: LinearSetting, at_epsilon=()) -> PrivacyLoss:
    return LinearPolicy(params).loss(at_epsilon=at_epsilon)


@calibrator("kl-linear", params=target_of(LinearSetting), examples=EXAMPLES[:1])
def calibrate(params, target_epsilon, target_delta=0.0) -> Calibration:
    return calibrated("kl-linear", params, target_epsilon, target_delta)
