"""Offers for visitors, chosen by a private learner: python serve.py 8000 state.json

    POST /act     {"person": "a17", "sold_out": [2]}  ->  {"offer": 0, "ticket": 570}
    POST /reward  {"ticket": 570, "euros": 12.5}      ->  {}
    POST /add     {}                                  ->  {"offer": 3}
    GET  /estimates                                   ->  what may be shown to anybody

An answer leaves after the state is saved, so that a process that dies has shown nothing that the
next one does not know. A ticket shows when a person came: give it to the till, not to visitors.
"""

import json
import sys
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import dpbandits as dp

AT_MOST = 3  # rounds of one person, for whom the promise is
OPTIONS = {"epsilon": 1.0, "delay": 200, "reward_range": (0, 50), "rewards": "clip"}


class Service:
    def __init__(self, path):
        self.path, self.lock, self.visits = Path(path), threading.Lock(), Counter()
        if self.path.exists():
            self.learner = dp.load(self.path)
            self.visits.update(json.loads(self.people.read_text()))
        else:
            self.learner = dp.learner("dp-imed", arms=3, contributions=AT_MOST, **OPTIONS)
            self.write_visits()

    @property
    def people(self):
        """Who has come how often: as secret as the state."""
        return self.path.with_suffix(".people")

    def answer(self, what, body):
        with self.lock:
            result = getattr(self, what)(**body)
            self.learner.save(self.path)  # first: a second worker gets an error here
            self.write_visits()
        return result

    def write_visits(self):
        new = self.people.with_suffix(".new")
        new.touch(0o600)
        new.write_text(json.dumps(self.visits))
        new.replace(self.people)

    def act(self, person, sold_out=()):
        person = str(person)  # as the file has it
        offers = [arm for arm in range(len(self.learner.plays)) if arm not in sold_out]
        if self.visits[person] >= AT_MOST:  # no more data of this person, only what is public
            means = self.learner.estimates()["mean"]
            return {"offer": max(offers, key=lambda arm: means[arm] or 0.0), "ticket": None}
        self.visits[person] += 1
        return {"offer": self.learner.act(allowed=offers), "ticket": self.learner.ticket}

    def reward(self, ticket, euros):
        self.learner.update(euros, ticket=ticket)
        return {}

    def add(self):
        return {"offer": self.learner.add_arm()}

    def estimates(self):
        return self.learner.estimates()


def handler(service):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            what = self.path.strip("/")
            try:
                if what not in ("act", "reward", "add", "estimates"):
                    raise dp.InputError("allowed: act, reward, add, estimates")
                status, answer = 200, service.answer(what, json.loads(text or "{}"))
            except (ValueError, TypeError) as error:  # they repeat no reward
                status, answer = 400, {"error": str(error)}
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        do_GET = do_POST

    return Handler


if __name__ == "__main__":
    port, path = int(sys.argv[1]), sys.argv[2]
    ThreadingHTTPServer(("localhost", port), handler(Service(path))).serve_forever()
