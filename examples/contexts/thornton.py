"""The numbers on Thornton's experiment in docs/how-to/contexts-of-your-own.md.

    pip install causaldata
    python examples/contexts/thornton.py

No test runs it: nothing else here needs the package with the data.
"""

import numpy as np
from causaldata import thornton_hiv

import dpbandits as dp

REPLAYS = 20
data = thornton_hiv.load_pandas().data.dropna(subset=["got", "tinc", "distvct", "age"])
sums = np.digitize(data["tinc"], [0, 1, 2], right=True)  # nothing, up to a dollar, to two, more
fetched = data["got"].to_numpy(float)
numbers = data[["distvct", "age"]].to_numpy(float)
contexts = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
groups = (numbers > np.median(numbers, axis=0)) @ [1, 2]
alike = [[fetched[(groups == g) & (sums == a)] for a in range(4)] for g in range(4)]
means = np.array([[x.mean() for x in row] for row in alike])  # groups x sums


def replay(seed, name, context=False, **options) -> float:
    """Everybody once, in random order: the mean, by group and sum, of what was chosen. The reward
    is that of somebody of the same group who was offered the chosen sum."""
    learner = dp.learner(name, arms=4, noise="simulated", seed=seed, **options)
    rng, total = np.random.default_rng(seed), 0.0
    order = rng.permutation(4)  # of the sums
    for i in rng.permutation(len(sums)):
        arm = order[learner.act(contexts[i]) if context else learner.act()]
        learner.update(rng.choice(alike[groups[i]][arm]))
        total += means[groups[i], arm]
    return total / len(sums)


def said(name, *args, **options):
    found = [replay(seed, *args, **options) for seed in range(REPLAYS)]
    print(f"{name}: {np.mean(found):.3f} +- {np.std(found, ddof=1) / REPLAYS**0.5:.3f}", flush=True)


share = np.bincount(groups) / len(groups)
best, groupwise = (share @ means).max(), share @ means.max(axis=1)
print(f"{len(sums)} people; best sum {best:.3f}; best of each group {groupwise:.3f}")
print(f"a sum at random {(share @ means).mean():.3f}")
linear = {"context": True, "d": 2, "delta": 1e-6}
said("na-imed, epsilon 1", "na-imed", epsilon=1.0)
said("leaky-linear, epsilon 1", "leaky-linear", epsilon=1.0, **linear)
said("dp-linear, epsilon 1", "dp-linear", epsilon=1.0, **linear)
said("dp-linear, no privacy", "dp-linear", allow_not_private=True, **linear)
said("thompson, no privacy", "thompson", allow_not_private=True)
