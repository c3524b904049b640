"""KL's claims on RLHF: Theorems 3 and 4, Corollary 3."""

from dpbandits.core.errors import require_proof
from dpbandits.core.ledger import Verdict, claim
from dpbandits.offline.claims.verdicts import ADD_REMOVE, LABEL, LEADER_STEP, certified, supported

# --- RLHF ---------------------------------------------------------------------------------------

MISSING_LABEL = (
    "the difference of two feature vectors has norm up to 2, not 1, and a flip is a removal and an "
    "addition while Lemma 1 doubles again: two factors 2 are missing"
)
MISSING_RECORD = (
    "the difference of two feature vectors has norm up to 2, not 1, and Lemma 1's factor 2 is "
    "left out; the score equation grad l(theta) = 0 is also used where the MLE is constrained"
)
LABEL_CORRECTED = (
    "4 (2 + e^(2B) + e^(-2B))/(eta (lambda_min - lambda)), by strong concavity on the ball, for "
    "the constrained MLE too"
)
RECORD_CORRECTED = (
    "(2/eta) (2 (1 + e^(2B))/(lambda_min - lambda) + 2 beta0/(sqrt(lambda_min) (lambda_min - 4))) "
    "for lambda_min > 4"
)
BOTH = "; the MLE is inside the ball, so both readings of it agree"


@claim(
    "KL-T3-pure",
    where="Theorem 3 = label part of Theorem 4",
    statement="label DP with eps0 = (2 + 2 e^(2B))/(eta (lambda_min - lambda))",
    kind="privacy",
    neighbours=LABEL,
    reads=("tightness",),
)
def label_pure(tables) -> Verdict:
    from dpbandits.offline.claims.counterexamples import theorem3_pure

    corrected = supported(tables, "label pure, ours", LABEL_CORRECTED)
    return certified(theorem3_pure(), MISSING_LABEL, corrected, BOTH)


@claim(
    "KL-T3-approx",
    where="Theorem 3 = label part of Theorem 4",
    statement="for lambda0 > lambda (eps, delta) label DP, eps = eps0 sqrt(lambda_min/lambda0), "
    "delta = |A| e^eps exp(beta0/eta (min_a |phi|_{Sigma^-1} - 1/sqrt(lambda0)))",
    kind="privacy",
    neighbours=LABEL,
    reads=("tightness",),
)
def label_approx(tables) -> Verdict:
    from dpbandits.offline.claims.counterexamples import theorem3_approx

    corrected = supported(tables, "label pure, ours", LABEL_CORRECTED)
    return certified(
        theorem3_approx(), f"{MISSING_LABEL}; {LEADER_STEP}", f"pure: {corrected}", BOTH
    )


@claim(
    "KL-T4-pure",
    where="Theorem 4",
    statement="eps0 = ((1 + e^(2B)) sqrt(l)/(l - lambda) + 2 beta0/(l-1))/(eta sqrt(l)), "
    "l = lambda_min(D)",
    kind="privacy",
    neighbours=ADD_REMOVE,
    reads=("tightness",),
)
def record_pure(tables) -> Verdict:
    from dpbandits.offline.claims.counterexamples import theorem4_pure

    corrected = supported(tables, "record pure, ours", RECORD_CORRECTED)
    return certified(theorem4_pure(), MISSING_RECORD, corrected, BOTH)


@claim(
    "KL-T4-approx",
    where="Theorem 4",
    statement="for lambda0 > lambda (eps, delta) DP, eps = eps0 sqrt(l/lambda0), delta = |A| e^eps "
    "exp(beta0/eta (min_a |phi|_{Sigma^-1} - 1/sqrt(lambda0)))",
    kind="privacy",
    neighbours=ADD_REMOVE,
    reads=("tightness",),
)
def record_approx(tables) -> Verdict:
    from dpbandits.offline.claims.counterexamples import theorem4_approx

    corrected = supported(tables, "record pure, ours", RECORD_CORRECTED)
    return certified(
        theorem4_approx(), f"{MISSING_RECORD}; {LEADER_STEP}", f"pure: {corrected}", BOTH
    )


@claim(
    "KL-C3",
    where="Corollary 3",
    statement="if l >= lambda + n/(k1 d): label DP with eps0 = (2 + 2 e^(2B)) k1 d/(n eta); for c "
    "in (0,1): (c eps0, |A| e^eps exp(beta0/eta sqrt(d/n) (1 - sqrt(c k1))))",
    kind="privacy",
    neighbours=LABEL,
)
def label_corollary(tables) -> Verdict:
    from dpbandits.audit.balls import shown
    from dpbandits.offline.claims.counterexamples import corollary3_approx, corollary3_pure

    approximate = corollary3_approx()
    require_proof(approximate.proved, "the counterexample to the approximate part")
    too = (
        f"{BOTH}; the approximate part fails too, certified: delta {shown(approximate.measured)} "
        f"at eps={shown(approximate.epsilon)}, where {shown(approximate.allowed)} is allowed "
        f"({approximate.words})"
    )
    corrected = "with 4 (2 + e^(2B) + e^(-2B)) in place of 2 + 2 e^(2B), the pure part holds"
    return certified(corollary3_pure(), MISSING_LABEL, corrected, too)
