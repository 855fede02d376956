"""A page in HTML that needs nothing else: sections with tables and figures, plotly.js, all inside."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from itertools import groupby

from janusopt.bench.report import figures
from janusopt.bench.report.panels import Choice
from janusopt.bench.report.results import Results
from janusopt.bench.report.table import Table

LONG = 60
VERDICTS = {"win": "win", "more": "win", "loss": "loss", "fewer": "loss"}


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its anchor, a sentence on how to read it, and its content as HTML."""

    anchor: str
    title: str
    note: str
    content: str


def whole(title: str, lead: str, sections: Sequence[Section]) -> str:
    """The document, of the sections that have content."""
    found = [section for section in sections if section.content]
    links = "\n".join(f'<a href="#{s.anchor}">{escape(s.title)}</a>' for s in found)
    body = "\n".join(
        f'<section id="{s.anchor}">\n<h2>{escape(s.title)}</h2>\n<p>{escape(s.note)}</p>\n{s.content}\n</section>'
        for s in found
    )
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{escape(title)}</title>\n'
        f"<style>\n{_part('page.css')}</style>\n</head>\n<body>\n<nav>\n{links}\n</nav>\n"
        f"<main>\n<h1>{escape(title)}</h1>\n<p>{escape(lead)}</p>\n{body}\n</main>\n"
        f"<script>\n{figures.library()}\n</script>\n<script>\n{_part('page.js')}</script>\n</body>\n</html>\n"
    )


def tables(found: Iterable[Table]) -> str:
    """Each under its title and note; those without rows are left out."""
    return "\n".join(
        f"<h3>{escape(one.title)}</h3>\n{f'<p>{escape(one.note)}</p>' if one.note else ''}\n{table(one)}"
        for one in found
        if one.rows
    )


def table(one: Table) -> str:
    """Without its title; empty where there are no rows."""
    if not one.rows:
        return ""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in one.header)
    rows = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in one.rows)
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>'


def _cell(text: str) -> str:
    plain = text.strip("*")
    kind = VERDICTS.get(plain) or ("long" if len(plain) > LONG else "")
    shown = escape(plain) if plain == text else f"<b>{escape(plain)}</b>"
    return f'<td class="{kind}">{shown}</td>' if kind else f"<td>{shown}</td>"


def panel(choices: Iterable[Choice]) -> str:
    """A selector and the figure that it chooses; empty without choices."""
    found = list(enumerate(choices))
    if not found:
        return ""
    options = ""
    for heading, entries in groupby(found, key=lambda entry: entry[1].heading):
        names = [(i, f"{heading}, {choice.name}" if heading else choice.name) for i, choice in entries]
        inner = "".join(f'<option value="{i}">{escape(name)}</option>' for i, name in names)
        options += f'<optgroup label="{escape(heading)}">{inner}</optgroup>' if heading else inner
    data = ",\n".join(choice.figure for _, choice in found).replace("</", "<\\/")
    return (
        f'<div class="panel"><select>{options}</select><div class="plot"></div>\n'
        f'<script type="application/json">[{data}]</script></div>\n'
    )


def versions(results: Results) -> Section:
    """The package versions of the stored runs."""
    found = Counter(row.versions for row in results.rows)
    rows = tuple(
        (", ".join(f"{name} {version}" for name, version in json.loads(text).items()) or "unknown", str(count))
        for text, count in found.most_common()
    )
    return Section("versions", "Package versions", "Of the stored runs.", table(Table("", ("versions", "runs"), rows)))


def incidents(found: Table) -> Section:
    """What is missing; said too where nothing is."""
    return Section("incidents", found.title, found.note, table(found) or "<p>None.</p>")


def _part(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")
