#!/usr/bin/env python3
"""Puts docs/pictures.css into the pictures of lessons, so that they are dark in a dark page, a forge's included.

  pictures.py          renews it in lessons/*/*.svg
  pictures.py --check  changes nothing, and fails where a picture has another style, a colour that the style does not know,
                       no size of its own or no title

Pictures that `ladder dev pictures` draws have a style of their own, in the colours of simulator/lens/colours.css.
"""

import re
import sys
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RULES = re.sub(r"/\*.*?\*/\s*", "", (ROOT / "docs/pictures.css").read_text(), flags=re.S)
STYLE = '<style id="scheme">\n' + RULES + "</style>"
KNOWN = {kind: set(re.findall(rf'\[{kind}="([^"]+)"\]', RULES)) | {"none"} for kind in ("fill", "stroke")}


def renewed(text):
    text = re.sub(r'\n?<style id="scheme">.*?</style>', "", text, flags=re.S)
    return re.sub(r"<svg[^>]*>", lambda opened: opened[0] + "\n" + STYLE, text, count=1)


def faults(text, drawn_by_lens):
    """What is wrong with a picture, as sentences."""
    svg = xml.etree.ElementTree.fromstring(text)
    if not (svg.get("width") and svg.get("height")):
        yield "has no width or height: beside a text it would have any size"
    if svg.find("{http://www.w3.org/2000/svg}title") is None:
        yield "has no title, which is what a screen reader says"
    if "prefers-color-scheme: dark" not in text:
        yield "is a white box in a dark page: run docs/pictures.py"
    elif not drawn_by_lens:
        if renewed(text) != text:
            yield "has another style than docs/pictures.css: run docs/pictures.py"
        for kind, known in KNOWN.items():
            for colour in sorted({node.get(kind) for node in svg.iter() if node.get(kind)} - known):
                yield f'has {kind}="{colour}", for which docs/pictures.css has no dark colour'


def main():
    pictures = sorted(ROOT.glob("lessons/*/*.svg"))
    wrong = []
    for picture in pictures:
        text = picture.read_text()
        drawn_by_lens = "var(--paper)" in text
        if "--check" in sys.argv:
            wrong += [f"{picture.relative_to(ROOT)} {fault}" for fault in faults(text, drawn_by_lens)]
        elif not drawn_by_lens and renewed(text) != text:
            picture.write_text(renewed(text))
    print(*wrong, sep="\n")
    return bool(wrong) or not pictures


if __name__ == "__main__":
    sys.exit(main())
