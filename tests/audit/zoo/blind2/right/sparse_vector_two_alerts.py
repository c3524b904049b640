"""RIGHT. Two runs of above-threshold, EPSILON / 2 each: the bar gets Laplace
2 / (EPSILON / 2) and is drawn anew after an alert, each count gets Laplace
4 / (EPSILON / 2), and it stops after the second alert. A record moves each count by at
most 1, and only the comparisons are returned."""

EPSILON = 2.0
DELTA = 0.0
RECORDS = [1, 2, 3, 4, 5]
NEIGHBOURS = "remove"

ALERTS = 2
BAR = 1.5


def f(data, rng):
    each = EPSILON / ALERTS
    bar = BAR + rng.laplace(0, 2 / each)
    answers = []
    for level in range(6):
        count = sum(1 for x in data if x >= level)
        above = count + rng.laplace(0, 4 / each) >= bar
        answers.append(bool(above))
        if above:
            if sum(answers) == ALERTS:
                break
            bar = BAR + rng.laplace(0, 2 / each)
    return answers
