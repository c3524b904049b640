"""Writes docs/boundary.svg: the two halves of src, with the lines of Python of each part."""

from pathlib import Path

SRC = Path(__file__).parents[1] / "src/dpbandits"
LIBRARY = ("core", "stochastic", "sparse", "kernel", "offline", "audit", "cli")
REPRODUCTION = ("ledger", "hu", "fl", "us", "kl", "ours", "pipeline", "plots", "report")
STEP, WIDTH, SCALE, TOP = 26, 420, 26, 58  # pixels; SCALE: lines of Python per pixel of a bar


def lines(folder: Path) -> int:
    return sum(path.read_text().count("\n") for path in folder.rglob("*.py"))


def half(x: int, title: str, root: Path, names: tuple[str, ...]) -> list[str]:
    total = lines(root) - (lines(SRC / "reproduction") if root == SRC else 0)
    parts = [f'<text x="{x}" y="30" font-weight="bold">{title}: {total:,} lines</text>']
    for i, name in enumerate(names):
        y, count = TOP + STEP * i, lines(root / name)
        bar = f'x="{x + 90}" y="{y - 13}" width="{count // SCALE}" height="17" fill="#9bb8d3"'
        parts.append(f'<text x="{x}" y="{y}">{name}/</text><rect {bar}/>')
        parts.append(f'<text x="{x + 96 + count // SCALE}" y="{y}">{count:,}</text>')
    return parts


def picture() -> str:
    height = TOP + STEP * len(REPRODUCTION)
    body = half(16, "library", SRC, LIBRARY)
    body += half(WIDTH + 56, "reproduction", SRC / "reproduction", REPRODUCTION)
    arrow = f'x="{WIDTH - 20}" y="{height // 2}"'
    body.append(f'<text {arrow} font-size="13">← imports</text>')
    box = f'viewBox="0 0 {2 * WIDTH + 90} {height}" font-family="sans-serif" font-size="15"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>\n' + "\n".join(body) + "\n</svg>\n"


if __name__ == "__main__":
    Path(__file__).with_name("boundary.svg").write_text(picture(), encoding="utf-8")
