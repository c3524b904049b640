"""Importing the library changes nothing in the process; nor does what it compiles."""

import json
import os
import subprocess
import sys

PINNED = ("OMP", "OPENBLAS", "MKL", "NUMBA", "NPY", "VECLIB")


def in_new_process(program: str):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(PINNED)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return json.loads(done.stdout)


BLOCKED = """
import importlib.abc, sys

class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"scipy", "numba", "flint", "pandas", "yaml", "sklearn"}:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)

sys.meta_path.insert(0, Blocker())
import numpy as np
import dpbandits as dp
"""
LEARNERS = """
import json
SIZES = {
    "stochastic": {"arms": 2}, "kernel": {"grid": 4, "horizon": 3},
    "sparse": {"arms": 2, "d": 3, "sparsity": 1, "delta": 0.001},
}
done = []
for name, entry in dp.algorithms().items():
    if entry.learner is None or not entry.private:
        continue
    problem = entry.module.split(".")[1]
    keys, context = dict(SIZES[problem]), {"sparse": [np.eye(2, 3)], "kernel": [0.5]}
    if name.endswith("-linear"):
        keys, context["sparse"] = {"arms": 2, "d": 3, "delta": 0.001}, [np.full(3, 0.1)]
    keys |= {"b_max": 1, "x_max": 1, "sigma": 0.1} if name == "fliphat" else {}
    keys |= {"horizon": 20} if name == "dp-se" else {}
    learner = dp.learner(name, epsilon=1.0, **keys)
    for _ in range(3):
        learner.act(*context.get(problem, ()))
        learner.update([0.5, 1.0] if getattr(entry.learner, "full_information", False) else 0.5)
    learner.act(*context.get(problem, ()))
    done.append(name)
policy = dp.policy("kl-mab", ([0, 1, 1, 0], [0.5, 1.0, 0.0, 1.0]), eta=0.5, beta0=0.1, arms=2)
assert policy.sample() in (0, 1) and policy.privacy().epsilon > 0
print(json.dumps(done))
"""


def test_every_private_learner_needs_the_base_alone():
    assert len(in_new_process(BLOCKED + LEARNERS)) >= 12


BOUNDARY = """
import json, sys
import dpbandits as dp
learner = dp.learner("lazy-dp-ts", arms=2, epsilon=1.0)
learner.update(1.0, learner.act().ticket)
dp.run("ftnl", {"means": [0.7, 0.5]}, 1.0, 5, [0], engine="plain")
dp.choose(arms=2, epsilon=1.0, horizon=3)
print(json.dumps([name for name in sys.modules if name.startswith("dpbandits.")]))
"""


def test_learner_simulation_and_choice_load_neither_the_command_line_nor_the_reproduction():
    loaded = {name.split(".")[1] for name in in_new_process(BOUNDARY)}
    assert "stochastic" in loaded
    assert not loaded & {"cli", "reproduction"}


def test_a_misspelt_learner_is_named_where_nothing_is_compiled():
    program = (
        BLOCKED
        + """
import json
try:
    dp.learner("na_imed", arms=3, epsilon=1.0)
except dp.InputError as error:
    print(json.dumps(str(error)))
"""
    )
    assert "did you mean 'na-imed'" in in_new_process(program)
