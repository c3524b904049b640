"""`dpbandits audit kl-rlhf`, `calibrate kl-rlhf`: answers compared by people, on a user's data."""

from dpbandits.core.mechanisms import Calibration, PrivacyLoss, TableText, calibrator, mechanism
from dpbandits.offline.policy import PreferencePolicy
from dpbandits.offline.problem import PreferenceSetting
from dpbandits.offline.tuning import calibrated, target_of

ACTIONS = TableText("x1\n1\n-1\n")
DATA = TableText("x1,label\n" + "1,1\n2,0\n" * 3)
CHANGES = {"neighbours": "flip,remove", "beta0": 0.25, "B": 1.0}
EXAMPLES = ({"data": DATA, "actions": ACTIONS} | CHANGES,)


@mechanism("kl-rlhf", params=PreferenceSetting, examples=tuple(e | {"eta": 0.5} for e in EXAMPLES))
def audit(params: PreferenceSetting, at_epsilon=()) -> PrivacyLoss:
    return PreferencePolicy(params).loss(at_epsilon=at_epsilon)


@calibrator("kl-rlhf", params=target_of(PreferenceSetting), examples=EXAMPLES[:1])
def calibrate(params, target_epsilon, target_delta=0.0) -> Calibration:
    return calibrated("kl-rlhf", params, target_epsilon, target_delta)
