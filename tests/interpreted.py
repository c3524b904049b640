"""Compiled functions without their compiler: small cases, checked in milliseconds."""

from contextlib import nullcontext

import pytest

PLAIN = {  # what only compiled code reads
    "borrowed": nullcontext,
    "uncounted": lambda array: array,
    "words_of": lambda array: array,
}


def interpreted(*modules):
    """A fixture: inside a test these modules' compiled functions run as plain Python.

    What they take from another folder of src stays compiled: HU's engines draw from core.noise.
    """

    @pytest.fixture(autouse=True)
    def plainly(monkeypatch):
        for module in modules:
            for name, thing in list(vars(module).items()):
                function = getattr(thing, "py_func", None)
                if name in PLAIN:
                    monkeypatch.setattr(module, name, PLAIN[name])
                elif function and _folder(function.__module__) == _folder(module.__name__):
                    monkeypatch.setattr(module, name, function)

    return plainly


def _folder(module):
    return module.split(".")[1]


class Tape:
    """A generator that gives the numbers on its tapes, by the name of the draw, in turn."""

    def __init__(self, **tapes):
        self.tapes = {name: iter(values) for name, values in tapes.items()}

    def __getattr__(self, name):
        return lambda *_: next(self.tapes[name])
