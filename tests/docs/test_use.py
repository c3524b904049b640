"""The pages on using learners: their code runs, their numbers are those of the tables.

Pages: README.md, which.md, how-to/use-on-your-data.md and its notebook,
how-to/contexts-of-your-own.md, compare-libraries.md.
"""

import contextlib
import http.client
import json
import os
import re
import runpy
import signal
import socket
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scratch import ROOT

import dpbandits as dp
from dpbandits.core.algorithms import algorithms
from dpbandits.reproduction.fl.algorithms import dense_published
from dpbandits.sparse import dense_rivals
from dpbandits.sparse.dp_linear import LinearProblem
from dpbandits.sparse.leaky_linear import FEW, LeakyLinear

PAGE = ROOT / "docs/how-to/use-on-your-data.md"
NOTEBOOK = ROOT / "notebooks/use_on_your_data.ipynb"


def code_of(path):
    return re.findall(r"```python\n(.*?)```", path.read_text("utf-8"), re.DOTALL)


def run_page(path, folder, monkeypatch) -> dict:
    monkeypatch.chdir(folder)
    names = {"__name__": "page"}
    for block in code_of(path):
        exec(compile(block, path.name, "exec"), names)
    return names


def test_readme_runs_twice_and_then_the_other_page_in_the_same_folder(tmp_path, monkeypatch):
    """It says that it continues."""
    for runs in (1, 2):
        page = run_page(ROOT / "README.md", tmp_path, monkeypatch)
        assert sum(page["learner"].estimates()["plays"]) == 3 * runs
    exec(code_of(PAGE)[0] + code_of(PAGE)[1], {})


def test_code_of_which_runs(tmp_path, monkeypatch):
    page = run_page(ROOT / "docs/which.md", tmp_path, monkeypatch)
    assert page["learner"].privacy.epsilon == 1.0
    assert page["sparse"].privacy.delta == 1e-6
    assert 0 <= page["best"] < 9
    assert 0 < page["policy"].privacy(page["actions"]).epsilon < 2


def test_use_on_your_data_runs_and_its_table_is_what_it_gives(tmp_path, monkeypatch):
    """Simulated noise with fixed seeds."""
    page = run_page(PAGE, tmp_path, monkeypatch)
    assert page["rewards"].shape == (569, 5)
    printed = dict(
        re.findall(r"^\| ([^|]+) \| (0\.\d\d) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    )
    assert len(printed) == 14
    for name, value in (page["cost"] | page["ranges"]).items():
        assert printed[str(name)] == f"{value:.2f}", name
    for name in ("na-imed", "dp-imed", "lazy-dp-ts"):
        shares = (f"{page['later'][name, change]:.2f}" for change in ("reversed", "added"))
        assert f"| {name} | {' | '.join(shares)} |" in PAGE.read_text("utf-8")
    means = page["rewards"].mean(axis=0)
    assert printed["a rule at random"] == f"{means.mean():.2f}"
    assert printed["the best rule"] == f"{means.max():.2f}"
    assert ", ".join(f"{mean:.2f}" for mean in means) in PAGE.read_text("utf-8")
    assert (tmp_path / "shop.db").stat().st_mode & 0o077 == 0


def notebook_of_page() -> str:
    """The page as a notebook: its python blocks are the cells of code."""
    cells = []
    for place, part in enumerate(
        re.split(r"```python\n(.*?)```", PAGE.read_text("utf-8"), flags=re.S)
    ):
        kind, text = ("markdown", "code")[place % 2], part.strip()
        if kind == "markdown":
            text = re.sub(
                r"\]\((?!http)([^)#]+)",
                lambda link: f"](../{os.path.relpath(PAGE.parent / link[1], ROOT)}",
                text,
            )
        if text:
            cell = {"cell_type": kind, "id": f"cell-{len(cells)}", "metadata": {}}
            cell |= {"execution_count": None, "outputs": []} if kind == "code" else {}
            cells.append(cell | {"source": text.splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    whole = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def test_the_notebook_is_the_page():
    """`python tests/docs/test_use.py` writes it."""
    assert NOTEBOOK.read_text("utf-8") == notebook_of_page()


@pytest.fixture
def service(tmp_path):
    """start(port) runs one of the commands of the page, ask(port, what, ...) asks it."""
    found = re.findall(r"^python (\S*serve.py) (\d+) shop.db$", PAGE.read_text("utf-8"), re.M)
    (server, _), ports = found[0], [port for _, port in found]
    running, real, held = {}, {}, []

    def start(port):
        held.append(socket.socket())  # so that nobody else gets it
        held[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held[-1].bind(("localhost", 0))
        real[port] = held[-1].getsockname()[1]
        command = [sys.executable, ROOT / server, str(real[port]), "shop.db"]
        running[port] = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
        while running[port].poll() is None:
            with contextlib.suppress(OSError):
                return ask(port, "estimates")
            time.sleep(0.1)
        raise AssertionError("it has ended")

    def ask(port, what, **body):
        connection = http.client.HTTPConnection("localhost", real[port])
        connection.request("POST", f"/{what}", json.dumps(body))
        answer = connection.getresponse()
        text = json.loads(answer.read())
        return text if answer.status == 200 else text | {"status": answer.status}

    yield SimpleNamespace(start=start, ask=ask, ports=ports, running=running, folder=tmp_path)
    for process in running.values():
        process.kill()
        process.wait()
    for each in held:
        each.close()


def test_the_service_of_the_page(service):
    """Two workers, started by its commands: late, lost, double, out of order, sold out, added,
    retired, a person again, a wrong request, kill -9 and a restart."""
    (one, two), ask = service.ports, service.ask
    service.start(one)
    service.start(two)
    first = [ask((one, two)[i % 2], "act", person=f"p{i}") for i in range(8)]
    assert {answer["offer"] for answer in first} == {0}  # its first batch: 24 rounds at epsilon 1/3
    tickets = [answer["ticket"] for answer in first]
    for k in (2, 0):  # out of order; that of round 2 is lost
        assert ask(one, "reward", ticket=tickets[k], euros=60.0 * (k == 2)) == {"taken": True}
    assert ask(two, "reward", ticket=tickets[2], euros=4711.0) == {"taken": False}
    assert "4711" not in str(ask(two, "reward", ticket=tickets[1], euros="4711"))
    service.running[one].kill()
    assert service.running[one].wait() == -signal.SIGKILL
    assert {ask(two, "act", person=f"q{i}", sold_out=[0, 2])["offer"] for i in range(3)} == {1}
    assert sum(service.start(one)["plays"]) == 11
    assert ask(one, "reward", ticket=tickets[1], euros=1.0) == {"taken": True}
    again = [ask((one, two)[i % 2], "act", person=(17, "17")[i % 2])["ticket"] for i in range(4)]
    assert None not in again[:3]
    assert again[3] is None
    assert ask(one, "add") == {"offer": 3}
    assert ask(two, "retire", offer=1) == {}
    assert 3 in {ask(two, "act", person=f"r{i}", sold_out=[0, 2])["offer"] for i in range(2)}
    shown = ask(one, "estimates")
    assert (sum(shown["plays"]), shown["retired"], len(shown["mean"])) == (16, [1], 4)
    assert "allowed" in ask(one, "refund")["error"]
    assert ask(one, "act", person="s", sold_out=[0, 1, 2, 3])["status"] == 400
    assert ask(one, "act", person="17", sold_out=[0, 1, 2, 3])["status"] == 400
    assert ask(one, "act", person="17", sold_out=["0", "2", "3"])["status"] == 400
    kept = [path for path in service.folder.iterdir() if path.name.startswith("shop.db")]
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}


def test_a_batch_every_night(tmp_path):
    """Three nights; the second is cut off and run again."""
    night = runpy.run_path(str(ROOT / "examples/service/nightly.py"))["night"]
    evening, morning = tmp_path / "evening.csv", tmp_path / "morning.csv"
    morning.write_text("ticket,reward\n")
    evening.write_text('person\n""\n')
    with pytest.raises(dp.InputError, match="person"):
        night(tmp_path / "mail.db", evening, morning)
    evening.write_text("person\n" + "".join(f"p{i}\n" for i in range(6)))
    planned, all_tickets = tmp_path / "evening.plan.csv", set()
    for number in range(3):
        taken, plan = night(tmp_path / "mail.db", evening, morning)
        assert taken == 6 * (number > 0)
        if number == 1:  # as if cut off after four persons
            planned.write_text("".join(planned.read_text().splitlines(keepends=True)[:5]))
            taken, again = night(tmp_path / "mail.db", evening, morning)
            assert taken == 0
            assert again[:4] == plan[:4]
            plan = again
        assert [row["person"] for row in plan] == [f"p{i}" for i in range(6)]
        all_tickets |= {row["ticket"] for row in plan}
        rewards = "".join(f"{row['ticket']},{k % 2}\n" for k, row in enumerate(plan))
        morning.write_text("ticket,reward\n" + rewards)
        planned.unlink()
    assert len(all_tickets) == 18


def test_contexts_of_your_own_runs_and_its_tables_are_what_it_gives(tmp_path, monkeypatch):
    page = run_page(ROOT / "docs/how-to/contexts-of-your-own.md", tmp_path, monkeypatch)
    text = (ROOT / "docs/how-to/contexts-of-your-own.md").read_text("utf-8")
    decisive, idle = text.split("## When they do not")
    for part, values in ((decisive, page["worth"]), (idle, page["worthless"])):
        for name, value in values.items():
            assert f"| {name} | {value:.2f} |" in part
    assert f"{max(np.bincount(page['data'].target)) / 569:.2f}, the fraction" in text
    assert "569 rounds are few" in str(page["said"][0].message)
    assert "569 rounds are below 4 first batches of 243" in str(page["said"][1].message)
    firsts = [
        LeakyLinear(LinearProblem(arms=5, d=d, delta=1e-6), 1.0, None, None).first
        for d in (5, 20, 60)
    ]
    assert "below {:,}, {:,} and {:,} rounds".format(*(FEW * n for n in firsts)) in text


def table(name):
    return pd.read_csv(ROOT / f"figures/{name}.csv")


def dense_share(algorithm, problem, rounds):
    """Of random arms' regret, d = 60."""
    keys = {"algorithm": algorithm, "problem": problem, "t": rounds, "d": 60}
    rows = table("fl/dense")
    (mean,) = rows[(rows[list(keys)] == pd.Series(keys)).all(axis=1)]["mean"]
    return f"{mean:.2f}"


def dense_pair(problem, rounds):
    return [dense_share(name, problem, rounds) for name in ("dp-linear", "dp-signs")]


NUMBERS = [
    ("dense/1", lambda: "{} of random arms' against {})".format(*dense_pair("few", 20000))),
    ("dense/2", lambda: "for d = 60 ({} against {})".format(*dense_pair("all", 1000))),
    ("dense/3", lambda: "after 5,000 ({} against {})".format(*dense_pair("all", 5000))),
    ("dense/4", lambda: "has more after 20,000 ({} against {})".format(*dense_pair("all", 20000))),
]


@pytest.mark.parametrize("number", [f for _, f in NUMBERS], ids=[name for name, _ in NUMBERS])
def test_numbers_of_dense_signals_are_in_the_published_table(number):
    assert number() in (ROOT / "docs/which.md").read_text("utf-8")


def test_dp_signs_has_the_lowest_regret_on_fresh_signals():
    signs = table("fl/fresh_instances")
    private = signs[signs["algorithm"].isin(["dp-signs", "fliphat-corrected", "fliphat-zcdp-clip"])]
    lowest = private.loc[private.groupby(["kind", "epsilon"])["mean"].idxmin(), "algorithm"]
    assert set(lowest) == {"dp-signs"}


def test_choose_finds_what_the_design_tables():
    """One size, simulated again."""
    runs = int(table("hu/which").query("t == 1000")["runs"].iloc[0])
    found = dp.choose(arms=5, means=(0.01, 0.05), epsilon=1.0, horizon=1000, instances=runs)
    rows = table("hu/which").query("family == 'rates' and epsilon == 1 and t == 1000")
    rows = rows[~rows["algorithm"].isin(["adap-klucb-0.5", "adap-klucb-0.25"])]
    assert rows["algorithm"].tolist()[:-2] == [row.algorithm for row in found.rows]
    means = [row.mean for row in (*found.rows, *found.beside)]
    assert rows["mean"].tolist() == pytest.approx(means, rel=1e-5)


def test_the_table_of_learners_agrees_with_simulate():
    """benchmarks/learners.csv: each learner with both kinds of noise, within 4 standard errors."""
    rows = pd.read_csv(ROOT / "benchmarks/learners.csv")
    private = {name for name, e in algorithms().items() if e.learner and e.private}
    assert set(rows["learner"]) == private
    outside = rows[rows["how"] != "simulate"]
    assert set(outside["how"]) == {"simulated", "exact"}
    assert len(outside) == 2 * len(private)
    assert (outside["standard_errors_apart"] < 4).all()
    assert (rows["low"] <= rows["mean"]).all()
    assert (rows["mean"] <= rows["high"]).all()


def test_rivals_with_contexts_have_the_constants_that_did_best():
    rows = pd.read_csv(ROOT / "benchmarks/rivals.csv")
    best = rows.loc[rows.groupby("rival")["all"].idxmin()].set_index("rival")["value"]
    assert best.to_dict() == {
        "LinUCB": dense_rivals.WIDTH,
        "Thompson": dense_published.WIDTH,
        "AdaPrivate-TS": dense_published.SPREAD,
        "FLIPHAT": dense_published.STEP,
    }


if __name__ == "__main__":
    NOTEBOOK.write_text(notebook_of_page(), "utf-8")
