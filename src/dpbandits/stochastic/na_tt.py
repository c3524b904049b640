"""NA-TT (noise-aware top two), an algorithm of our own: which arm is best, and an end.

It plays until the releases prove which arm has the largest mean, with a given confidence; then it
is over. Batches as in NA-IMED: one noisy sum each, all decided from releases, so free.

After each release: the leader a has the largest noisy mean, and for each other arm b there is
evidence S_ab that a's mean is larger (inference/evidence.py). If all S_ab reach
(K - 1)/(1 - confidence), a is the answer. Else the next batch goes to

1. an arm with less than a tenth of its even share of the plays (the floor);
2. an arm that is not yet proved worse and has far fewer plays than its rivals;
3. the leader, if it has fewer plays than the optimal proportions give it (Garivier and Kaufmann
   2016, with d_eps);
4. the arm of the least evidence.

A batch is about half of what seems to be missing, but long enough for its noise.
docs/proofs/INFERENCE.md proves that a wrong answer has probability 1 - confidence at most, and that
it ends. Ideas that it takes up: top two (Russo 2016), AdaP-TT and DP-TT (Azize, Jourdan et al.).
"""

import math

import numpy as np

from dpbandits.core.notions import PURE
from dpbandits.inference.evidence import apart
from dpbandits.stochastic.divergences import d_eps
from dpbandits.stochastic.problem import ConfidenceSetting
from dpbandits.stochastic.rounds import Phases, bandit_algorithm

FIRST, LEAST = 20, 10  # a first batch is FIRST/eps long, and at least LEAST
FLOOR = 0.1  # of an even share of the plays, below which no arm may stay
BEHIND = 3.0  # times fewer plays than the arm of the least evidence, and 2 BEHIND than the leader
GROWTH, SHARE = 2.0, 0.05  # a batch is at most and at least so many times the plays of its arm
AHEAD = 4.0  # what is added to the evidence before the rest is predicted from it
NEVER = 2**62  # the length of a batch that is not released: the experiment is over


@bandit_algorithm(
    "na-tt",
    setting=ConfidenceSetting,
    source="dpbandits",
    claim="assumed: proved in docs/proofs/INFERENCE.md, Section 2",
    notion=PURE,
)
class NaTt(Phases):
    ends = True
    state = ("S", "n", "m", "plan", "turn_of", "out", "stopped", "answer")
    extras = ("stopped", "answer")

    def start(self):
        super().start()
        self.first = math.ceil(max(LEAST, FIRST / self.epsilon))
        self.S, self.n, self.m = np.zeros((3, self.K))  # sums of releases, plays, releases
        self.plan = np.full(self.K, self.first)  # the lengths of the next batches
        self.turn_of, self.answer = np.full(1, -1), np.full(1, -1)
        self.out = np.zeros(self.K, bool)  # the arms that are retired
        self.stopped = np.zeros(1, int)  # the plays until the end; 0 before it

    def size(self, i):
        return self.plan[i]

    def retire(self, j):
        super().retire(j)
        self.out[j] = True

    def index(self):
        """The arm whose turn it is, then those with the fewest plays."""
        index = -self.n
        if self.turn_of[0] >= 0:
            index[self.turn_of[0]] = 1.0
        return index

    def release(self, i, total, b):
        self.S[i] += total
        self.n[i] += b
        self.m[i] += 1
        if (self.m + self.out).min() > 0:
            numbers = self.S, np.maximum(self.n, 1.0), self.m, self.epsilon
            enough = math.log((self.K - 1) / (1 - self.confidence))
            leader, evidence = compare(numbers, enough, self.out)
            least = worst(evidence, leader)
            if evidence[least] >= enough:
                self.answer[0] = self.turn_of[0] = leader
                self.stopped[0] = self.n.sum()
                self.plan[:] = NEVER
            else:
                self.turn_of[0] = choose(leader, least, evidence, enough, numbers)
                for k in range(self.K):
                    self.plan[k] = length(
                        evidence[least], enough, self.n[k], self.first, self.epsilon
                    )

    @property
    def over(self):
        sure = f"arm {self.answer[0]} is the best, with confidence {self.confidence:g}"
        return f"the experiment has ended: {sure}" if self.answer[0] >= 0 else ""

    def means(self):
        n = np.maximum(self.n, 1)
        return self.S / n, np.sqrt(2 * self.m) / (self.epsilon * n)


def compare(numbers, enough, out):
    """(the leader, for each other arm the evidence that the leader is better)."""
    S, n, m, epsilon = numbers
    leader = np.argmax(np.where(out, -1.0, np.clip(S / n, 0.0, 1.0)))
    evidence = np.full(len(S), math.inf)
    for b in range(len(S)):
        if b != leader and not out[b]:
            evidence[b] = apart(leader, b, 0.0, enough, S, n, m, epsilon)
    return leader, evidence


def worst(evidence, leader):
    """The arm of the least evidence, the first of equals."""
    least = -1
    for b in range(len(evidence)):
        if b != leader and (least < 0 or evidence[b] < evidence[least]):
            least = b
    return least


def choose(leader, least, evidence, enough, numbers):
    """The arm of the next batch."""
    S, n, _, epsilon = numbers
    fewest = least if n[least] < n[leader] else leader
    for b in range(len(n)):
        if evidence[b] < np.inf and n[b] < n[fewest]:
            fewest = b
    if n[fewest] < FLOOR * n.sum() / len(n):
        return fewest
    low = least
    for b in range(len(n)):
        if b != leader and evidence[b] < enough and n[b] < n[low]:
            low = b
    if BEHIND * n[low] < n[least] or 2 * BEHIND * n[low] < n[leader]:
        return low
    mean = np.clip(S / n, 1e-6, 1 - 1e-6)
    return leader if leader_is_short(leader, mean, n, epsilon) else least


def leader_is_short(leader, mean, n, epsilon):
    """Whether sum over b of d(mean_a, p_b)/d(mean_b, p_b) > 1, where p_b is the mean at which the
    two arms are most likely equal; with optimal proportions it is 1."""
    total = 0.0
    for b in range(len(n)):
        if b != leader:
            if mean[leader] - mean[b] < 1e-6:
                total += (n[b] / n[leader]) ** 2
            else:
                p = meeting(n[leader], n[b], mean[leader], mean[b], epsilon)
                above = d_eps(1 - mean[leader], 1 - p, epsilon)
                total += min(above / max(d_eps(mean[b], p, epsilon), 1e-300), 100.0)
    return total > 1.0


def meeting(n_a, n_b, a, b, epsilon):
    """argmin over p of n_a d_eps(a, p) + n_b d_eps(b, p), which is convex, for a > b."""
    low, high = b, a
    for _ in range(50):
        left, right = low + (high - low) * 0.382, low + (high - low) * 0.618
        at_left = n_a * d_eps(1 - a, 1 - left, epsilon) + n_b * d_eps(b, left, epsilon)
        at_right = n_a * d_eps(1 - a, 1 - right, epsilon) + n_b * d_eps(b, right, epsilon)
        if at_left < at_right:
            high = right
        else:
            low = left
    return 0.5 * (low + high)


def length(evidence, enough, n, first, epsilon):
    """Of the next batch of an arm with n plays: half of the plays that seem to be missing, up to
    all of them where noise dominates."""
    missing = max(enough - evidence, 0.0) / (max(evidence, 0.0) + AHEAD)
    part = 0.5 + 0.5 * math.sqrt(8.0 / (8.0 + epsilon * epsilon * n))
    least = max(SHARE * n, math.sqrt(n) / epsilon, first)
    return math.ceil(min(max(part * missing * n, least), max(first, GROWTH * n)))
