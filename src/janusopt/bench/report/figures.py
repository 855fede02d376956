"""How figures are drawn: plain data in, plotly's JSON out. The one file that imports plotly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.offline import get_plotlyjs

from janusopt.core.arrays import Rows, Vec, frozen

GREY = "#6b7280"
FONT = {"family": "system-ui, sans-serif", "size": 13, "color": "#1f2937"}
AXIS = {"gridcolor": "#e5e7eb", "linecolor": "#9ca3af", "showline": True, "zeroline": False, "automargin": True}
DIVERGING = [[0.0, "#2563eb"], [0.5, "#f8fafc"], [1.0, "#dc2626"]]


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One curve: ``y`` at ``x``, with a band from ``low`` to ``high`` where they are given."""

    name: str
    colour: str
    x: Vec
    y: Vec
    low: Vec | None = None
    high: Vec | None = None
    bold: bool = False


def library() -> str:
    """plotly.js itself, to be put into the page."""
    return str(get_plotlyjs())


UPRIGHT: dict[str, dict[str, Any]] = {
    "log": {"type": "log", "exponentformat": "power"},
    "shares": {"range": [0, 1.02], "tickformat": ".0%"},
    "plain": {},
}


def curves(lines: Sequence[Line], x: str, y: str, scale: Literal["log", "shares", "plain"] = "log") -> str:
    """Lines over a logarithmic axis; upwards a logarithmic axis too, shares from 0 to 1, or a plain one."""
    upright = UPRIGHT[scale]
    across = {"type": "log", "exponentformat": "power"}
    traces = [trace for line in lines for trace in (*_band(line), _curve(line))]
    return _json(traces, x, y, across, upright, hovermode="x unified")


def _curve(line: Line) -> Any:
    return go.Scatter(
        x=_short(line.x),
        y=_short(line.y),
        name=line.name,
        legendgroup=line.name,
        mode="lines",
        line={"color": line.colour, "width": 3 if line.bold else 1.5},
    )


def _band(line: Line) -> tuple[Any, ...]:
    if line.low is None or line.high is None:
        return ()
    outline = go.Scatter(
        x=_short([*line.x, *line.x[::-1]]),
        y=_short([*line.high, *line.low[::-1]]),
        legendgroup=line.name,
        showlegend=False,
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=line.colour,
        opacity=0.15,
        hoverinfo="skip",
    )
    return (outline,)


def bars(
    series: Mapping[str, Vec],
    colours: Sequence[str],
    names: Sequence[str],
    x: str,
    y: str,
    stacked: bool = False,
    even: float | None = None,
) -> str:
    """Shares of each series by name, side by side or stacked; ``even`` draws a dotted line at a height."""
    traces = [
        go.Bar(x=list(names), y=_short(values), name=name, marker={"color": colours[i % len(colours)]})
        for i, (name, values) in enumerate(series.items())
    ]
    rule = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": even, "y1": even}
    dotted = [{**rule, "line": {"dash": "dot", "color": GREY, "width": 1}}] if even is not None else []
    across, upright = {"type": "category"}, {"tickformat": ".0%", "rangemode": "tozero"}
    return _json(traces, x, y, across, upright, barmode="stack" if stacked else "group", shapes=dotted)


def lying_bars(series: Mapping[str, Vec], colours: Sequence[str], names: Sequence[str], x: str) -> str:
    """Stacked bars from left to right, a row for each name, the first on top."""
    traces = [
        go.Bar(y=list(names), x=_short(values), name=name, orientation="h", marker={"color": colours[i % len(colours)]})
        for i, (name, values) in enumerate(series.items())
    ]
    upright = {"type": "category", "autorange": "reversed"}
    return _json(traces, x, "", {}, upright, barmode="stack", height=150 + 28 * len(names))


@dataclass(frozen=True, slots=True)
class Shade:
    """Colours of a heat map: from blue at ``low`` over white to red at ``high``, or ``flipped``.

    ``unit`` is written at the colour bar; ``told`` is what a cell's word is called when the pointer is on it.
    """

    low: float
    high: float
    unit: str
    told: str
    flipped: bool = False


RATIO = Shade(-4.0, 4.0, "log₁₀", "ratio")


def scatter(sets: Mapping[str, tuple[str, Rows]], axes: Sequence[str]) -> str:
    """Points of two or three columns, a set for each name with its colour."""
    flat = len(axes) == 2
    kind = go.Scatter if flat else go.Scatter3d
    traces = [
        kind(
            **{axis: _short(column) for axis, column in zip("xyz", points.T, strict=False)},
            name=name,
            mode="markers",
            marker={"color": colour, "size": 7 if flat else 4, "opacity": 0.75},
        )
        for name, (colour, points) in sets.items()
    ]
    if flat:
        return _json(traces, axes[0], axes[1], {}, {})
    named = {axis: {"title": {"text": name}} for axis, name in zip(("xaxis", "yaxis", "zaxis"), axes, strict=True)}
    scene = {**named, "camera": {"eye": {"x": 1.7, "y": 1.7, "z": 1.0}}}
    edges = {"l": 0, "r": 0, "t": 20, "b": 20}
    return _json(traces, "", "", {"visible": False}, {"visible": False}, height=640, scene=scene, margin=edges)


def heat(
    Z: Sequence[Sequence[float | None]],
    words: Sequence[Sequence[str]],
    x: Sequence[str],
    y: Sequence[str],
    shade: Shade = RATIO,
) -> str:
    """Cells with a word each; ``None`` stays empty."""
    trace = go.Heatmap(
        z=Z,
        x=list(x),
        y=list(y),
        text=words,
        texttemplate="%{text}",
        hovertemplate=f"%{{x}}, %{{y}}: {shade.told} %{{text}}<extra></extra>",
        hoverongaps=False,
        zmin=shade.low,
        zmax=shade.high,
        colorscale=DIVERGING,
        reversescale=shade.flipped,
        colorbar={"title": {"text": shade.unit}, "thickness": 14},
        xgap=2,
        ygap=2,
    )
    category = {"type": "category", "showgrid": False, "showline": False}
    return _json([trace], "", "", category, {**category, "autorange": "reversed"}, height=max(260, 120 + 48 * len(y)))


def _json(
    traces: Sequence[Any], x: str, y: str, across: Mapping[str, Any], upright: Mapping[str, Any], **more: Any
) -> str:
    layout = {
        "template": go.layout.Template(),
        "font": FONT,
        "height": 460,
        "margin": {"l": 70, "r": 20, "t": 40, "b": 60},
        "legend": {"orientation": "v", "x": 1.01, "y": 1},
        "showlegend": any(trace.name for trace in traces),
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
        "xaxis": {**AXIS, "title": {"text": x}, **across},
        "yaxis": {**AXIS, "title": {"text": y}, **upright},
        **more,
    }
    return str(go.Figure(list(traces), layout).to_json())


def _short(values: ArrayLike) -> list[float]:
    """Four digits: the page holds many curves."""
    return [float(f"{value:.4g}") for value in frozen(values)]
