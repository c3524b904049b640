"""Texts with TeX formulas as Typst markup: from the tree of plots.texmath."""

import re

from dpbandits.plots.texmath import Node, replaced
from dpbandits.plots.words import formulas

_CALLS = {  # what Typst calls an alphabet or an accent
    "mathcal": "cal", "mathbf": "bold", "mathbb": "bb", "mathit": "italic",
    "hat": "hat", "tilde": "tilde", "dot": "dot", "underline": "underline", "bar": "macron",
}  # fmt: skip
_SIGNS = {"~": "∼"}
_OPEN, _CLOSE = "([{⌈⌊⟨", ")]}⌉⌋⟩"
_BARS = "|‖"
_ONE = ("letter", "number", "sign", "name", "words", "accent", "style", "fraction", "root")
_AFTER_SLASH = re.compile(r"(?<=[a-z]{2}\\/)(?=\w{2})")
_SPECIAL = re.compile(r"""([\\#*_$<>@=\-+/\[\]~.:"'`])""")
_IN_MATHS = re.compile(r"""([\\#$,;/&_^"()\[\]{}'@`])""")


def markup(text: str) -> str:
    """A text of the ledger, formulas between dollars and `code` included, as Typst markup."""
    return replaced(formulas(text), lambda tree: f"${_shown(tree)}$", _between)


def _between(text: str) -> str:
    """Plain words: nothing in them is a command, and a long path may break after a slash."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a backtick without its other one
        parts = [text]
    return "".join(f"#raw({_quoted(p)})" if i % 2 else _plain(p) for i, p in enumerate(parts))


def _plain(text: str) -> str:
    return _AFTER_SLASH.sub("\u200b", _SPECIAL.sub(r"\\\1", text))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _shown(node: Node | None) -> str:
    if node is None or node.kind == "space":
        return ""
    if node.kind == "row":
        return _row(node.parts)
    if node.kind == "scripts":
        return _scripts(node, _shown(node.parts[0]))
    if node.kind == "fence":
        left, inside, right = node.parts
        return _row((left, *(inside.parts if inside.kind == "row" else (inside,)), right))
    if node.kind in ("accent", "style"):
        wide = node.text == "bar" and node.parts[0].kind == "row"
        name = "overline" if wide else _CALLS[node.text]
        return f"{name}({_shown(node.parts[0])})"
    if node.kind in ("fraction", "root"):
        name = "frac" if node.kind == "fraction" else "sqrt"
        return f"{name}({', '.join(map(_shown, node.parts))})"
    return _leaf(node)


def _leaf(node: Node) -> str:
    if node.kind == "name" or (node.kind == "words" and node.text.isalnum()):
        return f'op("{node.text}")'
    if node.kind == "words" or (node.kind == "number" and {",", "e"} & set(node.text)):
        return _quoted(node.text)
    return _IN_MATHS.sub(r"\\\1", _SIGNS.get(node.text, node.text))


def _row(parts: tuple[Node, ...]) -> str:
    """Brackets grow around what is tall; around the rest they let the line break."""
    pairs = _pairs(parts)
    shown = []
    for i, part in enumerate(parts):
        text = _shown(part)
        if i in pairs:
            bare = pairs[i]
            text = _scripts(part, bare) if part.kind == "scripts" else bare
        shown.append(text)
    return " ".join(text for text in shown if text)


def _pairs(parts: tuple[Node, ...]) -> dict[int, str]:
    """Position -> how a bracket is written that has its other one around something tall, or a bar
    that has its other one."""
    signs = [_sign(part) for part in parts]
    found, stack = {}, []
    for i, sign in enumerate(signs):
        if sign and sign in _OPEN:
            stack.append(i)
        elif sign and sign in _CLOSE and stack:
            j = stack.pop()
            if any(map(_tall, parts[j + 1 : i])):
                found |= {j: signs[j], i: sign}
    for bar in _BARS:
        places = [i for i, sign in enumerate(signs) if sign == bar]
        if len(places) % 2 == 0:
            found |= {i: f"lr({bar}" if n % 2 == 0 else f"{bar})" for n, i in enumerate(places)}
    return found


def _sign(part: Node | None) -> str:
    """The bracket that a part is, or that carries its scripts."""
    core = part.parts[0] if part is not None and part.kind == "scripts" else part
    return core.text if core is not None and core.kind == "sign" else ""


def _tall(node: Node | None) -> bool:
    if node is None:
        return False
    return node.kind == "fraction" or any(map(_tall, node.parts))


def _scripts(node: Node, base: str) -> str:
    core, below, above = node.parts
    if core is None:
        base = '""'
    elif core.kind not in _ONE:
        base = f"attach({base})"  # one thing, with no brackets that would be seen
    raised = above.parts if above is not None and above.kind == "row" else (above,)
    primes = [part for part in raised if part is not None and part.text == "′"]
    rest = [part for part in raised if part is not None and part.text != "′"]
    text = base + "'" * len(primes)
    text += f"_({_shown(below)})" if below is not None else ""
    return text + (f"^({_row(tuple(rest))})" if rest else "")
