"""Noisy answers to "how many of the first k are 1?", a quarter of the budget each."""

DEFECT = "stops at the first 1 of the data"


def answer(data, k, generator):
    return sum(data[:k]) + generator.laplace(scale=4.0)


def sound(data, generator):
    return [answer(data, k, generator) for k in range(1, 5)]


def broken(data, generator):
    answers = []
    for k, record in enumerate(data, start=1):
        answers.append(answer(data, k, generator))
        if record == 1:
            break
    return answers
