r"""Mathematics as plain Unicode, for terminals, plots and pages without a formula engine.

Statements are kept once, in TeX between dollars; `plain` gives what a reader can read anywhere:
$\frac{\beta_0}{\sqrt N}$ becomes β₀/√N. What it does not know stays as it is written.
"""

import re
import unicodedata

SYMBOLS = {
    name: symbol
    for symbol, names in {
        "≤": "le leq", "≥": "ge geq", "×": "times", "·": "cdot", "∈": "in", "∉": "notin",
        "∋": "ni", "∞": "infty", "≈": "approx", "∑": "sum", "∏": "prod", "∫": "int", "±": "pm",
        "~": "sim", "→": "to", "≲": "lesssim", "≳": "gtrsim", "∝": "propto", "…": "ldots dots",
        "∪": "cup", "∩": "cap", "⊤": "top", "≼": "preceq", "≺": "prec", "⌈": "lceil", "⌉": "rceil",
        "⌊": "lfloor", "⌋": "rfloor", "∃": "exists", "∀": "forall", "⊆": "subseteq",
        "⊇": "supseteq", "∨": "vee", "∧": "wedge", "⟨": "langle", "⟩": "rangle", "∇": "nabla",
        "ℓ": "ell", "≠": "ne neq", "∂": "partial", "′": "prime", "∖": "setminus", "‖": "| Vert",
        " ": ", ; : ! quad qquad", "ε": "varepsilon epsilon", "φ": "varphi phi",
        "": "left right big Big bigl bigr displaystyle",
    }.items()
    for name in names.split()
}  # fmt: skip
ACCENTS = {
    "bar": "\u0304",
    "hat": "\u0302",
    "tilde": "\u0303",
    "underline": "\u0332",
    "dot": "\u0307",
}
STYLES = {"mathcal", "mathrm", "mathbf", "mathbb", "text", "textrm", "operatorname", "mathit"}
RAISED = str.maketrans("0123456789+-=()nij", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱʲ")
LOWERED = str.maketrans("0123456789+-=()aeijnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₙₒₚᵣₛₜᵤᵥₓ")
_MARKS = "\u0300-\u036f′*⁰-⁹¹²³₀-₉ⁱⁿʲₐ-ₜᵢ-ᵥⱼ"  # what a letter may carry and stay one thing
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)


def plain(text: str) -> str:
    """All formulas of a text as Unicode."""
    return re.sub(r"\$([^$\n]+)\$", lambda found: _convert(found[1]), text)


def _convert(formula: str) -> str:
    tokens, out = _TOKEN.findall(formula), []
    while tokens:
        token = tokens.pop(0)
        if token.startswith("\\"):
            out.append(_command(token[1:].strip() or " ", tokens))
        elif token in "^_":
            out.append(_script(token, _argument(tokens)))
        elif token not in "{}":
            out.append(token)
    return "".join(out)


def _command(name: str, tokens: list[str]) -> str:
    if name in ("frac", "tfrac", "dfrac"):
        above, below = (_enclosed(_convert(_argument(tokens))) for _ in range(2))
        return f"{above}/{below}"
    if name == "sqrt":
        return f"√{_enclosed(_convert(_argument(tokens)))}"
    if name in ACCENTS:
        inner = _convert(_argument(tokens))
        return inner[:1] + ACCENTS[name] + inner[1:]
    if name in STYLES:
        return _convert(_argument(tokens))
    if name in SYMBOLS:
        return SYMBOLS[name]
    if not name.isalpha():
        return name
    letter = _greek(name)
    if letter:
        return letter
    follows = tokens[0] if tokens else ""
    return f"{name} " if follows[:1].isalnum() or follows[:1] == "\\" else name  # ln, max, ...


def _greek(name: str) -> str:
    kind = "CAPITAL" if name[0].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {kind} LETTER {name.upper().replace('LAMBDA', 'LAMDA')}")
    except KeyError:
        return ""


def _argument(tokens: list[str]) -> str:
    """The next group, command or character, taken from the tokens."""
    while tokens and tokens[0] == " ":
        tokens.pop(0)
    if not tokens or tokens[0] != "{":
        return tokens.pop(0) if tokens else ""
    tokens.pop(0)
    depth, inner = 1, []
    while tokens:
        token = tokens.pop(0)
        depth += (token == "{") - (token == "}")
        if not depth:
            break
        inner.append(token)
    return "".join(inner)


def _enclosed(text: str) -> str:
    """In parentheses if it is more than one thing."""
    one = re.fullmatch(rf"√?(\d+|[^\W\d_][{_MARKS}]*)|\([^()]*\)|\|[^|]*\|", text)
    return text if one else f"({text})"


def _script(sign: str, argument: str) -> str:
    text = _convert(argument)
    table = RAISED if sign == "^" else LOWERED
    if text and all(ord(character) in table for character in text):
        return text.translate(table)
    if text in ("*", "′", "⊤"):
        return text
    return f"{sign}{text}" if text.isalnum() else f"{sign}({text})" if text else ""
