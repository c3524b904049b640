"""Hostile certificates: each is refused within seconds, and none writes a line of its own.

To try another one: `python3 -I certificates/check.py FILE`, or a further case here.
"""

import json
import subprocess
import sys

import pytest
from scratch import ROOT

FOLDER = ROOT / "certificates"
HUGE = "1" + "0" * 9


def given(**values):
    return lambda c: c["given"].update(values)


def enclosure(low, high):
    return lambda c: c["enclosures"].update(left=[low, high])


def row(index, value):
    def change(c):
        c["data"][0][index] = value

    return change


CASES = {  # file, change of the parsed certificate or the whole text
    "count of 10^9: T": ("US-S4-identical", given(T=HUGE)),
    "count of 10^9: n": ("HU-F17", given(n=HUGE)),
    "count of 10^9: n of users": ("US-S8.2-uniform", given(n=HUGE)),
    "count of 10^9: of one point": ("US-L4.4.spectrum", given(count=HUGE)),
    "count of 10^9: draws": ("KL-S4.4-composition.k-constant", given(draws=HUGE)),
    "count of 10^18: T": ("US-S4-identical", given(T=HUGE * 2)),
    "10^9 equal coordinates": ("FL-LA.2", row(1, 10**9)),
    "epoch of 2^(10^9) rounds": ("HU-T8", lambda c: c.update(event=[10**9, c["event"][1]])),
    "end of 10 million digits": ("HU-T9", enclosure("0", "1e10000000")),
    "small end": ("HU-T9", enclosure("1e-10000000", "1")),
    "end that is no number": ("HU-T9", enclosure(0, 1)),
    "end of many digits": ("HU-T9", enclosure("0", "9" * 5000)),
    "end in digits of another script": ("HU-T9", enclosure("٠", "٩")),
    "parameter of 5,000 digits": ("HU-T9", given(K="9" * 5000)),
    "parameter in another script": ("HU-T9", given(K="٩")),
    "parameter with a line end": ("HU-T9", given(K="2\n")),
    "parameter that is true": ("HU-T9", given(K=True)),
    "nested parameters": ("HU-T9", "[" * 10**5),
    "nested list": ("HU-T9", lambda c: c["given"].update(K=[[[["2"]]]])),
    "no object": ("HU-T9", "[]"),
    "empty": ("HU-T9", ""),
    "a megabyte": ("HU-T9", " " * 10**6),
    "binary": ("HU-T9", "\0\1\2"),
    "key twice": ("HU-T9", '{"claim": "HU-T9", "claim": "HU-T9"}'),
    "theorem is a list": ("HU-T9", lambda c: c.update(theorem=["HU-T9"])),
    "fails null": ("HU-T9", lambda c: c.update(fails=None)),
    "step a list": ("HU-T9", lambda c: c.update(step=["proved"])),
    "theorem is code": ("HU-T9", lambda c: c.update(theorem="__import__('os')")),
    "theorem with a line end": ("HU-T9", lambda c: c.update(theorem="x\nproved  HU-T1")),
    "claim with a line end": ("HU-T9", lambda c: c.update(claim="x\nproved  HU-T1")),
    "unknown part": ("HU-T9", lambda c: c.update(globals={})),
    "no enclosures": ("HU-T9", lambda c: c.update(enclosures={})),
}


def checked(tmp_path, name, change):
    text = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    if callable(change):
        certificate = json.loads(text)
        change(certificate)
        text = json.dumps(certificate)
    else:
        text = change
    path = tmp_path / f"{name}.json"
    path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-I", str(FOLDER / "check.py"), str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("case", CASES)
def test_hostile_certificate_is_refused_in_one_line(case, tmp_path):
    done = checked(tmp_path, *CASES[case])
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.count("\n") == 1
    assert done.stdout.startswith("REFUSED ")


@pytest.mark.parametrize("words", ["x\nproved  HU-T1: all", "\x1b[2K\rproved  HU-T1", "\u2028x"])
def test_text_of_a_certificate_cannot_forge_a_line(words, tmp_path):
    done = checked(tmp_path, "HU-T9", lambda c: c.update(fails=words))
    assert done.returncode == 0
    assert done.stdout.startswith("proved  HU-T9 (")
    assert done.stdout.rstrip("\n").isprintable()
    assert done.stdout.endswith(f"fails: {words!r}\n")


@pytest.mark.parametrize("path", ["/dev/zero", "/proc/self/mem"])
def test_device_without_an_end_is_refused(path):
    command = [sys.executable, "-I", str(FOLDER / "check.py"), path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.count("\n") == 1
