"""50 requests a second to two servers of examples/service on one file, which are killed ten times.

    python benchmarks/load.py 120    # seconds

Half of the requests act, half bring the reward of an earlier action; who gets no answer asks the
other server. Then: what was said twice, and whether the file has all that was said.
"""

import json
import runpy
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import dpbandits as dp

SCRIPT = Path(__file__).parents[1] / "examples/service/serve.py"
PORTS, RATE, KILLS, PEOPLE = (8765, 8766), 50, 10, 4000


class Run:
    def __init__(self, folder):
        self.file, self.servers = Path(folder, "bandit.db"), {}
        self.tickets, self.taken, self.times, self.again, self.failed = [], [], [], 0, 0
        for port in PORTS:
            self.start(port)

    def start(self, port):
        command = [sys.executable, SCRIPT, str(port), self.file]
        self.servers[port] = subprocess.Popen(command, stderr=subprocess.DEVNULL)

    def kill(self, port) -> bool:
        self.servers[port].kill()
        return self.servers[port].wait() == -signal.SIGKILL

    def ask(self, number, what, **body):
        """An answer, of the other server if one has none: as a client does."""
        begun = time.perf_counter()
        for attempt in range(100):
            port = PORTS[(number + attempt) % 2]
            try:
                url = f"http://localhost:{port}/{what}"
                request = urllib.request.Request(url, json.dumps(body).encode())
                answer = json.loads(urllib.request.urlopen(request, timeout=20).read())
            except OSError:
                time.sleep(0.1)
                continue
            self.times.append(time.perf_counter() - begun)
            self.again += attempt > 0
            if what == "act" and answer["ticket"]:
                self.tickets.append(answer["ticket"])
            if what == "reward" and answer["taken"]:
                self.taken.append(body["ticket"])
            return
        self.failed += 1

    def send(self, pool, seconds) -> int:
        """The number of kills."""
        rng, begun, killed = np.random.default_rng(1), time.perf_counter(), 0
        for number in range(RATE * seconds):
            time.sleep(max(0, begun + number / RATE - time.perf_counter()))
            if number % 4 > 1 and self.tickets:
                late = min(len(self.tickets), 1 + int(rng.exponential(20)))
                body = {"ticket": self.tickets[-late], "euros": 50 * rng.random()}
                pool.submit(self.ask, number, "reward", **body)
            else:
                pool.submit(self.ask, number, "act", person=f"p{rng.integers(PEOPLE)}")
            if number % (RATE * seconds // (KILLS + 1)) == 0 and number and killed < KILLS:
                port = PORTS[killed % 2]
                killed += self.kill(port)
                self.start(port)
        return killed


def main(seconds: int) -> None:
    with tempfile.TemporaryDirectory(dir=".") as folder:
        run = Run(folder)
        time.sleep(5)
        with ThreadPoolExecutor(32) as pool:
            killed = run.send(pool, seconds)
        for port in PORTS:
            run.kill(port)
        options = runpy.run_path(str(SCRIPT))["OPTIONS"]
        learner = dp.learner("na-imed", store=run.file, **options)
        plays = sum(learner.estimates()["plays"])
        waiting = dict(learner.store.sql("SELECT ticket, reward FROM pending"))
    lost = sum(ticket in waiting and waiting[ticket] is None for ticket in run.taken)
    twice = [len(said) - len(set(said)) for said in (run.tickets, run.taken)]
    middle, most, longest = np.quantile(run.times, [0.5, 0.99, 1]) * 1e3
    print(f"{RATE * seconds} requests, {killed} kills: {run.failed} unanswered, {run.again} asked "
          f"again; ms: median {middle:.0f}, 99% {most:.0f}, longest {longest:.0f}")  # fmt: skip
    print(f"{len(run.tickets)} tickets, {twice[0]} twice; {len(run.taken)} rewards taken, "
          f"{twice[1]} twice, {lost} lost; {plays} rounds kept, {plays - len(run.tickets)} "
          f"without an answer; {len(waiting)} wait")  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]))
