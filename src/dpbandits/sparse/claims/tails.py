"""FL's tail bounds: Lemma E.1, the two behind Proposition 5.5, and an Orlicz norm."""

import math

import numpy as np
from flint import arb

from dpbandits.audit.balls import precision
from dpbandits.core.errors import require_proof
from dpbandits.core.ledger import Verdict, claim
from dpbandits.core.points import points

PROOFS, TESTS = "docs/proofs/FL.md", "tests/sparse/test_sparse_proofs.py"


def largest_tail(k: int, c: float) -> tuple[float, float]:
    """P(max |w| > c ln k) for k standard Laplace numbers, exactly, and its bound k^(1-c)."""
    each = float(k) ** -c
    exact = -np.expm1(k * np.log1p(-each)) if each < 1 else 1.0
    return exact, float(k) ** (1 - c)


@claim(
    "FL-LE.1",
    where="Lemma E.1",
    statement=r"for $k$ iid $\mathrm{Lap}(\lambda)$ and $C > 1$: $P(|w|_2^2 > kC^2\lambda^2) \le "
    r"ke^{-C}$ and $P(|w|_\infty^2 > C^2\lambda^2\ln^2k) \le e^{-(C-1)\ln k}$",
)
def laplace_tails(tables) -> Verdict:
    gaps, plots, multiples = [], [], (1.0001, 1.1, 1.5, 2, 3, 5, 10)
    for k in (1, 2, 3, 10, 100, 10**4, 10**6):
        sides = [largest_tail(k, c) for c in multiples]
        gaps += [bound - exact for exact, bound in sides]
        plots += _tail_points(k, multiples, sides)
    require_proof(min(gaps) >= -1e-12, "Lemma E.1 on the grid")
    return Verdict.proved(
        method="formal",
        scope="all $k \\ge 1$, $C > 1$, $\\lambda > 0$; independence is not needed",
        measured=r"$|w|_2^2 > kC^2\lambda^2$ needs some $|w_i| > C\lambda$, of probability "
        r"$e^{-C}$; "
        r"$|w|_\infty > C\lambda\ln k$ has probability $1-(1-k^{-C})^k \le k^{1-C}$; the second in "
        f"closed form on {len(gaps)} points, least gap {max(min(gaps), 0.0):.2g}",
        bound="$ke^{-C}$ and $k^{1-C}$",
        slack="union bounds only: the second is tight as $C$ grows",
        points=sorted(plots, key=lambda part: part["panel"].iloc[0]),
        evidence=("proofs/FL_LemmaE1.v", "tests/sparse/test_sparse_claims.py"),
    )


def _tail_points(k: int, multiples: tuple, sides: list):
    """Both parts; of the first P(some |w_i| > C lambda), which is at least its left side."""
    look = {"series": f"k = {k:g}", "log": "y"}
    some = [-np.expm1(k * np.log1p(-np.exp(-c))) for c in multiples]
    bound = [k * np.exp(-c) for c in multiples]
    first, second = "part 1: k e^-C", "part 2: k^(1 - C)"
    yield points(multiples, some, at_most=bound, panel=first, axes=("C", "at least P"), **look)
    exact, bound = zip(*sides, strict=True)
    if k < 10**4:  # beyond: below 1e-9 at once
        yield points(multiples, exact, at_most=bound, panel=second, axes=("C", "P"), **look)


def normal_maximum(count: int, level: arb) -> arb:
    """P(the largest of `count` independent |N(0, 1)| exceeds the level)."""
    return -(count * (-(level / arb(2).sqrt()).erfc()).log1p()).expm1()


@claim(
    "FL-E2",
    where="Proof of Proposition 5.5, (17)",
    statement=r"$|\nabla\mathcal L(\beta^*)|_\infty \le 2\sigma x_{\max}\sqrt{\ln d/N}$ but for "
    r"probability $2e^{-2\ln d}$, where $\nabla\mathcal L(\beta^*) = X'\epsilon/N$",
)
@precision(256)
def gradient_tail(tables) -> Verdict:
    sizes = (16, 64, 512, 4096, 2**20)
    shares = [normal_maximum(d, 2 * arb(d).log().sqrt()) * d * d / 2 for d in sizes]
    require_proof(all(share > 1 for share in shares), "FL-E2: no violation")
    return Verdict.refuted(
        method="certified",
        scope=f"$d = N$ a power of 2 from {sizes[0]} to $2^{{20}}$, Gaussian noise",
        measured="probability over the bound: "
        + ", ".join(f"{float(s):.3g} ($d = {d}$)" for s, d in zip(shares, sizes, strict=True)),
        bound="1",
        slack=f"factor {float(shares[0]):.3g} and more",
        evidence=(PROOFS, TESTS),
        counterexample=r"orthogonal columns of entries $\pm x_{\max}$ (Hadamard), $\epsilon\sim "
        r"N(0,\sigma^2I)$: the coordinates are $\sigma x_{\max}N^{-1/2}$ times independent normals",
        proof_step=r"(16) with $\gamma^2 = 2\ln d$ gives $2e^{-\gamma^2/2} = 2/d$, not $2/d^2$; "
        r"and the gradient of the squared loss is $-2X'\epsilon/N$, twice as large",
        repaired=r"$|\nabla\mathcal L(\beta^*)|_\infty \le 4\sigma x_{\max}\sqrt{\ln d/N}$ but for "
        "probability $2/d$ (F1.2)",
        tightness="the example's probability over $2/d$: "
        f"{float(normal_maximum(16, 2 * arb(16).log().sqrt()) * 8):.3f} at $d = 16$",
        points=points(
            sizes,
            [float(s) for s in shares],
            at_most=1,
            repaired=np.array(sizes, float),  # 2/d, for these columns at half its level
            axes=("d", "probability / printed bound"),
            log="xy",
        ),
    )


@claim(
    "FL-E4",
    where="Proof of Proposition 5.5, event E_4",
    statement=r"$P(\max_{t\le N}|\varepsilon_t| > \sigma\sqrt{2\ln N}) \le 1/N$ for "
    r"$\sigma$-sub-Gaussian "
    "noise, so that clipping at $R$ changes no reward but with that probability",
)
@precision(256)
def clipping_tail(tables) -> Verdict:
    sizes = (16, 256, 4096, 2**16, 2**20)
    chances = [normal_maximum(n, (2 * arb(n).log()).sqrt()) for n in sizes]
    pairs = list(zip(chances, sizes, strict=True))
    require_proof(all(chance > arb(1) / n for chance, n in pairs), "FL-E4: no violation")
    return Verdict.refuted(
        method="certified",
        scope="Gaussian noise, $N$ from 16 to $2^{20}$",
        measured="the probability is " + ", ".join(f"{float(c):.3f} ($N = {n}$)" for c, n in pairs),
        bound="$1/N$",
        slack=f"factor {float(chances[2]) * sizes[2]:.0f} at $N = {sizes[2]}$",
        evidence=(PROOFS, TESTS),
        counterexample=r"$\varepsilon_t\sim N(0,\sigma^2)$, independent",
        proof_step=r"$N\exp(-2\sigma^2\ln N/(2\sigma^2))$ is $N\cdot N^{-1} = 1$, not $1/N$",
        repaired=r"$P(\max_t|\varepsilon_t| > 2\sigma\sqrt{\ln N}) \le 2/N$: put "
        r"$R = x_{\max}b_{\max} + 2\sigma\sqrt{\ln N}$ (F1.1)",
        tightness="Gaussian probability over $2/N$: "
        f"{float(normal_maximum(16, 2 * arb(16).log().sqrt()) * 8):.3f} at $N = 16$",
        points=(
            points(
                sizes,
                [float(c) * n for c, n in pairs],
                at_most=1,
                series="level as printed",
                axes=("N", "probability times N"),
                log="xy",
            ),
            points(
                sizes,
                [float(normal_maximum(n, 2 * arb(n).log().sqrt())) * n for n in sizes],
                repaired=2,
                series="level as repaired",
                axes=("N", "probability times N"),
                log="xy",
            ),
        ),
    )


@claim(
    "FL-B1",
    where="Appendix B",
    statement=r"$|X|_2 \le L$ implies $\|X\|_{\psi_2} \le (L/\ln 2)^{1/2}$",
)
def orlicz_norm(tables) -> Verdict:
    lengths = (0.1, 1.0, 1.5, 4.0, 20.0)
    norms = [length / math.sqrt(math.log(2)) for length in lengths]
    return Verdict.refuted(
        method="exact",
        scope="every $L > 1$",
        measured=r"$\|X\|_{\psi_2} = L/\sqrt{\ln 2}$ for $X = Le_1$",
        bound=r"$\sqrt{L/\ln 2}$",
        slack=r"factor $\sqrt L$",
        evidence=(PROOFS,),
        counterexample="$X = Le_1$ with $L = 4$",
        proof_step="the root is taken of $L$ too",
        repaired=r"$\|X\|_{\psi_2} \le L/\sqrt{\ln 2}$ (G3)",
        tightness="attained by $X = Le_1$",
        points=points(
            lengths,
            norms,
            at_most=[math.sqrt(length / math.log(2)) for length in lengths],
            repaired=[length / math.sqrt(math.log(2)) for length in lengths],
            axes=("L", "Orlicz norm of L e_1"),
            log="xy",
        ),
    )
