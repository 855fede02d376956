"""The page: every section, every figure, nothing from elsewhere."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import made_up
import pytest

from janusopt.bench.report import figures, page, panels

SECTIONS = {
    "overview", "heat", "functions", "distributions", "convergence", "ecdf", "methods", "spreads", "ranks", "charts",
    "seconds", "gate", "incidents", "versions",
}  # fmt: skip


class Seen(HTMLParser):
    """Sections, links, and the addresses that the page would load."""

    def __init__(self, html):
        super().__init__()
        self.sections, self.links, self.loaded, self.options = set(), set(), [], 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "section":
            self.sections.add(given["id"])
        if tag == "a":
            self.links.add(given["href"])
        self.options += tag == "option"
        self.loaded += [given[name] for name in ("src", "srcset", "data") if name in given]
        self.loaded += [given["href"]] if tag in ("link", "base") else []


@pytest.fixture(scope="module")
def html():
    return page.page(made_up.results(made_up.runs(dimensions=(30, 100)), title="JANUS <& co>"))


def test_the_page_has_every_section_and_a_link_to_each(html):
    seen = Seen(html)
    assert seen.sections == SECTIONS
    assert seen.links == {f"#{name}" for name in SECTIONS}


def test_the_page_loads_nothing_from_elsewhere(html):
    assert Seen(html).loaded == []
    own = html.replace(figures.library(), "")
    assert len(own) < len(html)
    assert not re.search(r"https?://|@import|url\(", own)


def test_the_page_offers_no_upload(html):
    assert "showSendToCloud: false" in html


def test_titles_are_escaped(html):
    assert "<h1>JANUS &lt;&amp; co&gt;</h1>" in html


def test_every_choice_has_its_figure(html):
    found = [json.loads(text) for text in re.findall(r'<script type="application/json">(.*?)</script>', html, re.S)]
    assert len(found) == 7
    assert sum(map(len, found)) == Seen(html).options
    assert all(figure["data"] for panel in found for figure in panel)


def test_the_heat_map_shows_the_logarithm_of_the_ratio():
    results = made_up.results()
    first = json.loads(next(panels.heat(results)).figure)["data"][0]
    logs = results.contest(results.groups[0], "janus", "cma").logs
    assert first["x"] == ["f4", "f10"]
    assert first["z"][0] == pytest.approx([logs["f4"].mean() / 2.302585, logs["f10"].mean() / 2.302585], abs=1e-3)


def test_bands_are_drawn_for_host_and_subject_only():
    traces = json.loads(next(panels.convergence(made_up.results())).figure)["data"]
    assert [trace["legendgroup"] for trace in traces if trace.get("fill")] == ["cma", "janus"]
    assert [trace["name"] for trace in traces if not trace.get("fill")] == ["cma", "janus", "random-search"]


def test_the_best_method_reaches_most_targets():
    lines = json.loads(next(panels.ecdf(made_up.results())).figure)["data"]
    ends = {line["name"]: line["y"][-1] for line in lines}
    assert ends["random-search"] < ends["cma"] < ends["janus"] <= 1.0


def test_a_plan_of_which_only_the_gate_was_run_still_has_a_page():
    planned = made_up.runs(problems=("f4",))
    records = [made_up.record(run, made_up.FACTORS[run.method]) for run in planned if run.method != "janus"]
    seen = Seen(page.page(made_up.results(planned, records)))
    assert SECTIONS - seen.sections == {"ranks", "charts"}


def test_a_script_in_a_name_stays_text():
    planned = made_up.runs(methods=("cma", "janus", "random-search", "</script><b>"))
    factors = {**made_up.FACTORS, "</script><b>": 1.0}
    html = page.page(made_up.results(planned, factors=factors))
    assert "</script><b>" not in html
