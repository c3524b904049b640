"""Small data files, with which the audits are held to the contract of all mechanisms."""

from dpbandits.core.mechanisms import TableText

_SMALL = {"eta": 0.5, "beta0": 0.25}
_ACTIONS = {"actions": TableText("x1\n1\n-1\n")}
_ARMS = {"data": TableText("arm,reward\n" + "0,1\n0,0.5\n0,0\n1,1\n1,0\n" * 3)}

PLAYED = (_SMALL | _ARMS, _SMALL | _ARMS | {"neighbours": "swap"})
CALIBRATED = (_ARMS | {"beta0": 0.5},)
LINE = (
    _SMALL
    | _ACTIONS
    | {"data": TableText("x1,reward\n" + "1,1\n0.5,0\n-1,1\n" * 2), "neighbours": "remove"},
)
DUELS = (
    _SMALL
    | _ACTIONS
    | {"data": TableText("x1,label\n" + "1,1\n2,0\n" * 3), "neighbours": "flip,remove", "B": 1.0},
)
LINE_TARGETS, DUEL_TARGETS = (
    tuple({key: value for key, value in one.items() if key != "eta"} for one in audited)
    for audited in (LINE, DUELS)
)
