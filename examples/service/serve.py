"""Offers for visitors, chosen by a private learner: python serve.py 8000 shop.db

    POST /act     {"person": "a17", "sold_out": [2]}      ->  {"offer": 0, "ticket": "mD3..."}
    POST /reward  {"ticket": "mD3...", "euros": 12.5}     ->  {"taken": true}
    POST /add     {}                                      ->  {"offer": 3}
    POST /retire  {"offer": 1}                            ->  {}
    GET  /estimates                                       ->  what may be shown to anybody

An answer leaves when the disk has it. Any number of these servers may run on one file. Asking again
with the same ticket is harmless, so a client that got no answer asks again.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import dpbandits as dp

OPTIONS = {
    "arms": 3, "epsilon": 1.0, "delay": 200, "reward_range": (0, 50), "rewards": "clip",
    "contributions": 3,  # rounds of one person, for whom the promise is
}  # fmt: skip


class Service:
    def __init__(self, path):
        self.learner = dp.learner("na-imed", store=path, **OPTIONS)

    def act(self, person, sold_out=()):
        plays = self.learner.estimates()["plays"]
        offers = sorted({*range(len(plays))} - set(map(int, sold_out)))
        try:
            offer = self.learner.act(person=person, allowed=offers)
        except dp.UsedUp:  # no more data of this person, only what is public
            return {"offer": self.learner.suggest(allowed=offers), "ticket": None}
        return {"offer": offer, "ticket": offer.ticket}

    def reward(self, ticket, euros):
        return {"taken": self.learner.update(euros, ticket)}

    def add(self):
        return {"offer": self.learner.add_arm()}

    def retire(self, offer):
        self.learner.retire(offer)
        return {}

    def estimates(self):
        return self.learner.estimates()


def handler(service):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            what = self.path.strip("/")
            try:
                if what not in ("act", "reward", "add", "retire", "estimates"):
                    raise dp.InputError("allowed: act, reward, add, retire, estimates")
                status, answer = 200, getattr(service, what)(**json.loads(text or "{}"))
            except dp.StoreError as error:  # nothing has happened
                status, answer = 503, {"error": str(error)}
            except (ValueError, TypeError, RecursionError) as error:  # they repeat no reward
                status, answer = 400, {"error": str(error)}
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        do_GET = do_POST

    return Handler


if __name__ == "__main__":
    port, path = int(sys.argv[1]), sys.argv[2]
    ThreadingHTTPServer(("localhost", port), handler(Service(path))).serve_forever()
