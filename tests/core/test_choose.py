"""`dpbandits choose`: the learners at one's size, best first."""

import numpy as np
import pytest

import dpbandits as dp
from dpbandits.cli import main
from dpbandits.core import choose as choosing
from dpbandits.core.errors import InputError

SIZE = {"arms": 3, "epsilon": 1.0, "horizon": 400, "instances": 12}
ALONE = "sa-lasso, not private", "random play"


def test_choose_names_the_best_and_a_line_that_runs():
    shares = []
    found = dp.choose(**SIZE, means=(0.2, 0.9), progress=shares.append)
    entries = dp.algorithms().values()
    private = {e.name for e in entries if e.package == "dpbandits.stochastic" and e.private}
    assert {row.algorithm for row in found.rows} == private - {"rnm-ftnl", "ftnl", "na-tt"}
    means = [row.mean for row in found.rows]
    assert means == sorted(means)
    assert found.rows[0].algorithm not in found.level
    level = [found.rows[0].algorithm, *found.level]
    proved = [name for name in level if dp.algorithms()[name].theorem]
    assert found.best == [*proved, *level][0]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    text = str(found)
    assert "thompson, not private" in text
    learner = eval(found.use[:-1] + ', noise="simulated")', {"dpbandits": dp})
    assert (learner.name, learner.privacy.epsilon) == (found.best, 1.0)


def test_all_algorithms_meet_the_same_instances_in_any_order():
    """The instances are those that the docstring promises; random play is computed from them."""
    found = dp.choose(**SIZE, means=(0.2, 0.9))
    drawn = 0.2 + 0.7 * np.random.default_rng([3, 0]).random((12, 3))
    random = 400 * (drawn.max(axis=1) - drawn.mean(axis=1))
    assert found.beside[1].mean == pytest.approx(random.mean())
    (row,) = (row for row in found.rows if row.algorithm == "adap-ucb")
    runs = [
        dp.run("adap-ucb", {"means": list(m)}, 1.0, 400, [i], [400]) for i, m in enumerate(drawn)
    ]
    regret = np.array([result.regret[0, 0] for result in runs])
    assert row.mean == pytest.approx(regret.mean())
    assert row.p95 == pytest.approx(np.quantile(regret, 0.95))


@pytest.mark.parametrize(
    "wrong",
    [
        {"goal": "best"}, {"goal": "best-arm", "dim": 3}, {"goal": "best-arm", "confidence": 1},
        {"arms": 1}, {"epsilon": np.inf}, {"means": (0.5, 1.5)}, {"dim": 1},
    ],
)  # fmt: skip
def test_wrong_sizes_are_one_line(wrong):
    with pytest.raises(InputError) as error:
        dp.choose(**SIZE | wrong)
    assert "\n" not in str(error.value)


def test_the_command_prints_what_the_function_finds(capsys):
    words = "--arms 3 --epsilon 1 --horizon 400 --means 0.2:0.9 --instances 12"
    assert main(["choose", *words.split()]) == 0
    assert capsys.readouterr().out == f"{dp.choose(**SIZE, means=(0.2, 0.9))}\n"
    assert main(["choose", *words.replace(":", "-").split()]) == 2
    assert "LOW:HIGH" in capsys.readouterr().err


PEOPLE = "dense-linucb, not private", "random play"


@pytest.mark.filterwarnings("ignore:.*rounds are:UserWarning")  # few
@pytest.mark.parametrize(
    ("best", "like"),
    [("dp-linear", "dp-signs"), ("dp-signs", "dp-signs"), ("fliphat", "dp-signs"),
     ("leaky-linear", ""), ("dp-linear", ""), ("na-imed", "")],
)  # fmt: skip
def test_with_contexts_the_line_of_each_learner_runs(best, like, monkeypatch):
    """Each as if it were the only one: all of them can be the best."""
    monkeypatch.setattr(choosing, "private", lambda e: {best: dp.algorithms()[best]})
    found = dp.choose(arms=3, dim=5, epsilon=2.0, horizon=60, instances=2, like=like)
    assert [row.algorithm for row in found.rows] == [best]
    names = found.beside[0].algorithm, found.beside[1].algorithm
    assert names == (ALONE if like else PEOPLE)
    learner = eval(found.use[:-1] + ', noise="simulated")', {"dpbandits": dp})
    assert (learner.name, learner.privacy.epsilon) == (best, 2.0)
    context = np.ones((3, 5)) if like else np.ones(5)
    arm = learner.act(context) if best != "na-imed" else learner.act()
    learner.update(0.5)
    assert 0 <= arm < 3


def test_with_contexts_all_private_learners_of_the_problem_are_compared():
    found = dp.choose(arms=3, dim=5, epsilon=8.0, horizon=500, instances=2, like="dp-signs")
    assert {row.algorithm for row in found.rows} == {"dp-linear", "dp-signs", "fliphat"}
    assert found.rows[0].mean < found.beside[1].mean


def test_of_people_with_numbers_it_says_what_to_do_if_these_say_nothing():
    """Of 1,000 people with five numbers na-imed learns nothing at all, and nearly everything about
    people whose numbers say nothing."""
    found = dp.choose(arms=2, dim=5, epsilon=4.0, horizon=1000, instances=3)
    means = {row.algorithm: row.mean for row in found.rows}
    assert means.keys() == {"leaky-linear", "dp-linear", "na-imed"}
    assert found.best == found.rows[0].algorithm != "na-imed"
    assert means["na-imed"] > 0.9 * found.beside[1].mean
    (said,) = found.notes
    without, linear = (float(said.split(word)[1].split()[0]) for word in ("regret is", "and"))
    assert without < linear < found.beside[1].mean
    few = dp.choose(arms=2, dim=5, epsilon=0.5, horizon=60, instances=5)
    assert few.best == "na-imed"
    assert "too few rounds" in str(few)


@pytest.mark.parametrize("size", [(2, 5, 1.0, 400), (3, 5, 8.0, 300), (5, 20, 1.0, 1000)], ids=str)
def test_of_few_people_na_imed_is_taken_and_contexts_are_compared(size):
    """Although numbers help those few here; a learner that knew the horizon might not use them."""
    arms, dim, epsilon, horizon = size
    found = dp.choose(arms=arms, dim=dim, epsilon=epsilon, horizon=horizon, instances=4)
    means = {row.algorithm: row.mean for row in found.rows}
    assert found.best == "na-imed"
    assert means["leaky-linear"] < 0.95 * means["na-imed"]
    assert arms == eval(found.use, {"dpbandits": dp}).algorithm.K


def test_of_people_with_numbers_late_rewards_and_missing_arms_can_be_compared():
    found = dp.choose(arms=3, dim=2, epsilon=20.0, horizon=300, instances=2, delay=5, allowed=2)
    assert {row.algorithm for row in found.rows} == {"leaky-linear", "dp-linear", "na-imed"}
    assert all(0 < row.mean < 1.5 * found.beside[1].mean for row in found.rows)


def test_with_an_answer_as_goal_the_rules_that_end_are_compared(capsys):
    size = SIZE | {"horizon": 20000, "instances": 4}
    found = dp.choose(**size, goal="best-arm", confidence=0.9)
    assert 'learner("na-tt"' in found.use  # that of DP-TT is not proved, and no learner
    assert {row.algorithm for row in found.rows} == {"na-tt", "dp-se-best", "adap-tt", "dp-tt"}
    assert found.beside.algorithm == "top-two"
    assert all(0 < row.mean <= 20000 and row.wrong <= row.ended for row in found.rows)
    assert eval(found.use, {"dpbandits": dp}).best(0.9).arm is None
    words = "--arms 3 --epsilon 1 --horizon 20000 --instances 4 --goal best-arm --confidence 0.9"
    assert main(["choose", *words.split()]) == 0
    assert capsys.readouterr().out == f"{found}\n"


def test_behind_a_service_rewards_come_late_and_some_arms_cannot_be_played():
    """With a delay of the whole run nothing is learned: all play their first arms in turn. The
    regret is against the best arm that can be played: of two arms of three, the middle one is."""
    size = {"arms": 3, "epsilon": 50.0, "horizon": 90, "instances": 2, "means": (0.1, 0.9)}
    never = dp.choose(**size, delay=90)
    assert never.rows[0].mean > 0.8 * never.beside[1].mean
    plain, some = dp.choose(**size), dp.choose(**size, allowed=2)
    assert some.beside[1].mean < plain.beside[1].mean
    assert "delay=90" in never.use


def test_a_person_in_several_rounds_costs_as_much_as_a_smaller_epsilon():
    size = {"arms": 3, "horizon": 200, "instances": 3}
    (three, alone) = dp.choose(**size, epsilon=3.0, contributions=3), dp.choose(**size, epsilon=1.0)
    assert [r.algorithm for r in three.rows] == [r.algorithm for r in alone.rows]
    learner = eval(three.use[:-1] + ', noise="simulated")', {"dpbandits": dp})
    assert learner.privacy.epsilon == 3.0
