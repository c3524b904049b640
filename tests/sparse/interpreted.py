"""Compiled functions without their compiler: small cases, checked in milliseconds."""

import pytest


def interpreted(*modules):
    """A fixture: inside a test these modules' compiled functions run as plain Python."""

    @pytest.fixture(autouse=True)
    def plainly(monkeypatch):
        for module in modules:
            for name, function in list(vars(module).items()):
                if hasattr(function, "py_func"):
                    monkeypatch.setattr(module, name, function.py_func)

    return plainly


class Tape:
    """A generator that gives the numbers on its tapes, by the name of the draw, in turn."""

    def __init__(self, **tapes):
        self.tapes = {name: iter(values) for name, values in tapes.items()}

    def __getattr__(self, name):
        return lambda *_: next(self.tapes[name])
