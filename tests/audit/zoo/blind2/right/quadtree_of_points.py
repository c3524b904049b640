"""RIGHT. A point is in at most one cell of each of the three levels, each cell's count gets
Laplace 3 / EPSILON once, and whether a cell is split depends on its noisy count. Cells of a
level are disjoint, so the path of a point costs three times EPSILON / 3."""

EPSILON = 1.5
DELTA = 0.0
RECORDS = [(0, 0), (0, 1), (1, 3), (2, 2), (3, 3)]
NEIGHBOURS = "remove"

LEVELS = 3


def cell(points, left, bottom, size, rng):
    noisy = len(points) + rng.laplace(0, LEVELS / EPSILON)
    if size == 1 or noisy < 1.0:
        return [noisy]
    half = size // 2
    children = []
    for x in (left, left + half):
        for y in (bottom, bottom + half):
            inside = [p for p in points if x <= p[0] < x + half and y <= p[1] < y + half]
            children.append(cell(inside, x, y, half, rng))
    return [noisy, *children]


def f(data, rng):
    return cell(data, 0, 0, 4, rng)
