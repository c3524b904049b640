"""A standard Gaussian matrix of which only the asked-for products are ever drawn.

What has been revealed about the n x d matrix G is kept as G Q = A (orthonormal columns Q) and
P'G = B (orthonormal columns P). Given both,

    G = A Q' + P B (I - Q Q') + (I - P P') H (I - Q Q'),   H a fresh standard Gaussian matrix,

so a product along a new unit direction needs one fresh Gaussian vector, projected: n numbers for
G e, d XX"""

import math

import numpy as np


class LazyGaussian:
    """G with iid N(0, 1) entries, unseen but for its products."""

    def __init__(self, rows: int, columns: int, rng: np.random.Generator):
        self.rows, self.columns, self.rng = rows, columns, rng
        self.used = None  # axes of R^n in use; None: all
        self.right = np.empty((0, columns))  # Q'
        self.images = np.empty((0, rows))  # A' = (G Q)'
        self.left = np.empty((0, rows))  # P'
        self.coimages = np.empty((0, columns))  # B = P'G

    def reveal(self, v: np.ndarray, image: np.ndarray) -> None:
        """Take G v = `image` as known: drawn elsewhere from its law given what was revealed."""
        inside, direction, length = _split(self.right, v)
        if direction is None:
            return
        image = (image - inside @ self.images) / length
        self.right = np.concatenate((self.right, direction[None]))
        self.images = np.concatenate((self.images, image[None]))

    def matvec(self, v: np.ndarray) -> np.ndarray:
        """G v."""
        inside, direction, length = _split(self.right, v)
        known = inside @ self.images
        if direction is None:
            return known
        fresh = self._fresh_image()
        image = fresh + (self.coimages @ direction - self.left @ fresh) @ self.left
        self.right = np.concatenate((self.right, direction[None]))
        self.images = np.concatenate((self.images, image[None]))
        return known + length * image

    def rotated(self, u: np.ndarray, products: int) -> np.ndarray:
        """Turn R^n so that few coordinates hold what is known, u and this many more products.

        Only for n-vectors that are made from u and from results. Returns u in the new coordinates.
        """
        known = np.vstack((self.images, self.left, u))
        size = len(known) + products
        if self.used is not None or size >= self.rows:
            return u
        turned = np.zeros((len(known), size))
        turned[:, : len(known)] = np.linalg.qr(known.T, mode="r").T
        self.images, self.left = turned[: len(self.images)], turned[len(self.images) : -1]
        self.used = len(known)
        return turned[-1]

    def _fresh_image(self) -> np.ndarray:
        if self.used is None:
            return self.rng.standard_normal(self.rows)
        fresh = np.zeros(self.images.shape[1])
        fresh[: self.used] = self.rng.standard_normal(self.used)
        fresh[self.used] = np.sqrt(self.rng.chisquare(self.rows - self.used))
        self.used += 1
        return fresh

    def rmatvec(self, u: np.ndarray) -> np.ndarray:
        """G'u."""
        inside, direction, length = _split(self.left, u)
        known = inside @ self.coimages
        if direction is None:
            return known
        fresh = self.rng.standard_normal(self.columns)
        image = fresh + (self.images @ direction - self.right @ fresh) @ self.right
        self.left = np.concatenate((self.left, direction[None]))
        self.coimages = np.concatenate((self.coimages, image[None]))
        return known + length * image


def _split(basis: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray | None, float]:
    """Coordinates of v in an orthonormal basis (rows), and its remainder: unit vector, length.

    The remainder is orthogonalised twice ("twice is enough", Kahan); one that is only rounding
    counts as zero.
    """
    inside = basis @ v
    rest = v - inside @ basis
    if len(basis):
        again = basis @ rest
        inside += again
        rest -= again @ basis
    length = math.sqrt(rest @ rest)
    if length <= 1e-13 * math.sqrt(v @ v):
        return inside, None, 0.0
    return inside, rest / length, length
