"""A standard Gaussian matrix of which only the asked-for products are ever drawn.

What has been revealed about the n x d matrix G is kept as G Q = A (orthonormal columns Q) and
P'G = B (orthonormal columns P). Given both,

    G = A Q' + P B (I - Q Q') + (I - P P') H (I - Q Q'),   H a fresh standard Gaussian matrix,

so a product along a new unit direction needs one fresh Gaussian vector, projected: n numbers for
G e, d for G'e.
"""

import math

import numpy as np

from dpbandits.core.generators import normals


class Stack:
    """Rows that are added one by one."""

    def __init__(self, width: int, room: int = 4):
        self.room, self.count = np.empty((room, width)), 0

    @property
    def rows(self) -> np.ndarray:
        return self.room[: self.count]

    def add(self, row: np.ndarray) -> None:
        if self.count == len(self.room):
            self.room = np.concatenate((self.room, np.empty_like(self.room)))
        self.room[self.count] = row
        self.count += 1


class LazyGaussian:
    """G with iid N(0, 1) entries, unseen but for its products."""

    def __init__(self, rows: int, columns: int, rng: np.random.Generator):
        self.rows, self.columns, self.rng = rows, columns, rng
        self.used = None  # axes of R^n in use; None: all
        self.right, self.images = Stack(columns), Stack(rows)  # Q', A' = (G Q)'
        self.left, self.coimages = Stack(rows), Stack(columns)  # P', B = P'G

    def reveal(self, v: np.ndarray, image: np.ndarray) -> None:
        """Take G v = `image` as known: drawn elsewhere from its law given what was revealed."""
        inside, direction, length = _split(self.right.rows, v)
        if direction is None:
            return
        self.right.add(direction)
        self.images.add((image - inside @ self.images.rows) / length)

    def matvec(self, v: np.ndarray) -> np.ndarray:
        """G v."""
        inside, direction, length = _split(self.right.rows, v)
        known = inside @ self.images.rows
        if direction is None:
            return known
        fresh, left = self._fresh_image(), self.left.rows
        image = fresh + (self.coimages.rows @ direction - left @ fresh) @ left
        self.right.add(direction)
        self.images.add(image)
        return known + length * image

    def rmatvec(self, u: np.ndarray) -> np.ndarray:
        """G'u."""
        inside, direction, length = _split(self.left.rows, u)
        known = inside @ self.coimages.rows
        if direction is None:
            return known
        fresh, right = normals(self.rng, (self.columns,)), self.right.rows
        image = fresh + (self.images.rows @ direction - right @ fresh) @ right
        self.left.add(direction)
        self.coimages.add(image)
        return known + length * image

    def rotated(self, u: np.ndarray, products: int) -> np.ndarray:
        """Turn R^n so that few coordinates hold what is known, u and this many more products.

        Only for n-vectors that are made from u and from results. Returns u in the new coordinates.
        """
        known = np.vstack((self.images.rows, self.left.rows, u))
        size = len(known) + products
        if self.used is not None or size >= self.rows:
            return u
        turned = np.zeros((len(known), size))
        turned[:, : len(known)] = np.linalg.qr(known.T, mode="r").T
        parts = turned[: self.images.count], turned[self.images.count : -1]
        self.images, self.left = Stack(size, size), Stack(size, size)
        for stack, rows in zip((self.images, self.left), parts, strict=True):
            for row in rows:
                stack.add(row)
        self.used = len(known)
        return turned[-1]

    def _fresh_image(self) -> np.ndarray:
        if self.used is None:
            return normals(self.rng, (self.rows,))
        fresh = np.zeros(self.images.room.shape[1])
        fresh[: self.used] = self.rng.standard_normal(self.used)
        fresh[self.used] = math.sqrt(self.rng.chisquare(self.rows - self.used))
        self.used += 1
        return fresh


def _split(basis: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray | None, float]:
    """Coordinates of v in an orthonormal basis (rows), and its remainder: unit vector, length.

    The remainder is orthogonalised twice ("twice is enough", Kahan); one that is only rounding
    counts as zero.
    """
    inside, rest = np.empty(0), v
    if len(basis):
        inside = basis @ v
        rest = v - inside @ basis
        again = basis @ rest
        inside += again
        rest -= again @ basis
    length = math.sqrt(rest @ rest)
    if length <= 1e-13 * math.sqrt(v @ v):
        return inside, None, 0.0
    return inside, rest / length, length
