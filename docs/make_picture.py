"""Makes the README's picture, docs/econzoo.png: a match beside the report that it comes from.

    econzoo tournament bargaining spe fair linear tit-for-tat random --settings all --out runs/cross
    econzoo analyze runs/cross
    python docs/make_picture.py runs/cross/summary.html

All of it is cut out of the pages of the report and of the match. The file keeps the words of the match, so that a test
can tell whether the picture is old. Needs Chromium on the path, or its name in CHROMIUM, and Pillow.
"""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

PICTURE = Path(__file__).with_name("econzoo.png")
SIZE = (1120, 752)
"""Of the picture, in CSS pixels; it has twice as many in each direction."""

MATCH = 'data-players="spe\nlinear" data-setting="default"'
"""Which match is shown: the first that the report lists like this."""

SECTIONS = ("Cross-play", "Against the equilibrium")
LAYOUT = """
body { display: grid; grid-template-columns: 510px 1fr; gap: 0 30px; padding: 16px 20px; overflow: hidden; }
body > div { min-width: 0; align-self: start; }
.shown { border: 1px solid var(--line); border-radius: 10px; padding: 8px 14px; background: var(--card); }
.talk { gap: 6px; margin: 6px 0; } .turn { max-width: 92%; padding: 4px 12px 5px; line-height: 1.4; }
.shown > p { margin: 0; color: var(--soft); font-size: .92rem; }
section { margin: 0 0 16px; } .note { margin-bottom: 4px; }
section h3, section h3 ~ *, figure ~ * { display: none !important; }
td { padding: 4px 8px; } .heat td { min-width: 48px; } .heat thead th:first-child { font-size: 0; }
figure svg { max-width: 385px !important; }
"""
CHROMIUM = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --force-device-scale-factor=2"
)


def cut(page: str, start: str, end: str) -> str:
    """The first part of the page from `start` to `end`, both included."""
    found = re.search(f"{re.escape(start)}.*?{re.escape(end)}", page, flags=re.DOTALL)
    if not found:
        raise SystemExit(f"the report has no {start!r}; make it as the top of {Path(__file__).name} says")
    return found[0]


def match_in(report: Path) -> str:
    """The match, without its raw prompts and replies."""
    listed = cut(report.read_text(encoding="utf-8"), MATCH, "</li>")
    page = (report.parent / cut(listed, 'href="', '"')[6:-1]).read_text(encoding="utf-8")
    talk = re.sub(r'<details class="raw">.*?</details>', "", cut(page, '<ol class="talk">', "</ol>"), flags=re.DOTALL)
    row = r'<th scope="row">(<bdi.*?</bdi>)</th><th scope="row">(<bdi.*?</bdi>)</th><td class="n">([^<]*)</td>'
    seats = re.findall(row, page[page.index("<h2>Payoffs") :])
    who = "".join(f'<span class="seat"><small>{role}</small> {name}</span> ' for role, name, _ in seats)
    paid = "".join(f"<span>{role} <b>{payoff}</b></span> " for role, _, payoff in seats)
    return f"<p>{who}</p>{talk}<p>{paid}</p>"


def words_in(match: str) -> str:
    """What is said in the match, a line for each message."""
    return "\n".join(html.unescape(words) for words in re.findall(r'<p class="words"[^>]*>(.*?)</p>', match))


def arranged(page: str, match: str) -> str:
    """The match at the left, the sections at the right, in the style of the report."""
    style = cut(page, "<style>", "</style>")
    right = "".join(f"<section>{cut(page, f'<h2>{name}</h2>', '</section>')}" for name in SECTIONS)
    body = f'<div class="shown">{match}</div><div>{right}</div>'
    return f'<!doctype html><meta charset="utf-8">{style}<style>{LAYOUT}</style><body>{body}</body>'


def photograph(page: str, picture: Path, words: str) -> None:
    """What Chromium shows of the page, in few colours."""
    with tempfile.TemporaryDirectory() as folder:
        file, shot = Path(folder, "page.html"), Path(folder, "shot.png")
        file.write_text(page, encoding="utf-8")
        size = f"--window-size={SIZE[0]},{SIZE[1]}"
        options = [*CHROMIUM.split(), f"--user-data-dir={folder}/profile", size, f"--screenshot={shot}"]
        subprocess.run([os.environ.get("CHROMIUM", "chromium"), *options, file.as_uri()], check=True)
        kept = PngInfo()
        kept.add_text("Words", words)
        Image.open(shot).convert("RGB").quantize(256).save(picture, optimize=True, pnginfo=kept)


def main(report: str) -> None:
    """Makes the picture from a report."""
    match = match_in(Path(report))
    photograph(arranged(Path(report).read_text(encoding="utf-8"), match), PICTURE, words_in(match))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python docs/make_picture.py SUMMARY.html")
    main(sys.argv[1])
