"""How figures are drawn: plain data in, plotly's JSON out. The one file that imports plotly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.offline import get_plotlyjs

from janusopt.bench.picture import Picture, Relief
from janusopt.core.arrays import Rows, Vec, frozen

GREY = "#6b7280"
FONT = {"family": "system-ui, sans-serif", "size": 13, "color": "#1f2937"}
AXIS = {"gridcolor": "#e5e7eb", "linecolor": "#9ca3af", "showline": True, "zeroline": False, "automargin": True}
LAND = [[0.0, "#5b8c5a"], [0.45, "#b9c48f"], [0.75, "#c9ad82"], [1.0, "#f4efe6"]]
_SIDES = 20  # of a cylinder
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


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """One method's values, each under the name of its problem: a box for each problem."""

    name: str
    colour: str
    problems: list[str]
    values: list[float]


@dataclass(frozen=True, slots=True)
class Mark:
    """How a method is shown in a picture: its colour, and what its run reached."""

    colour: str = GREY
    reached: str = ""


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


def ratio_shade(logs: Sequence[Sequence[float | None]]) -> Shade:
    """For decimal logarithms of ratios: white at 0, as far as they reach, at most ±4."""
    reach = min(4.0, max([0.3, *(abs(z) for row in logs for z in row if z is not None)]))
    return Shade(-reach, reach, "log₁₀", "ratio")


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
    return _solid(traces, axes, camera={"eye": {"x": 1.7, "y": 1.7, "z": 1.0}})


def heat(
    Z: Sequence[Sequence[float | None]],
    words: Sequence[Sequence[str]],
    x: Sequence[str],
    y: Sequence[str],
    shade: Shade,
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


def boxes(series: Sequence[Boxes], y: str) -> str:
    """Boxes with their points; a logarithmic axis where the values span more than two powers of ten."""
    several = len({problem for box in series for problem in box.problems}) > 1
    traces = [
        go.Box(
            x=box.problems if several else [box.name] * len(box.values),
            y=_short(box.values),
            name=box.name,
            offsetgroup=box.name if several else None,
            boxpoints="all",
            jitter=0.4,
            pointpos=0.0,
            marker={"color": box.colour, "size": 4, "opacity": 0.6},
            line={"color": box.colour, "width": 1.5},
            showlegend=several,
        )
        for box in series
    ]
    values = [value for box in series for value in box.values]
    wide = min(values) > 0.0 and max(values) > 100.0 * min(values)
    upright = {"type": "log", "exponentformat": "power"} if wide else {"rangemode": "tozero"}
    return _json(traces, "", y, {"type": "category"}, upright, boxmode="group" if several else "overlay")


def picture(shown: Picture, marks: Mapping[str, Mark]) -> str:
    """A suite's picture; what has no mark is thin and grey."""
    if isinstance(shown, Relief):
        return _relief(shown, marks)
    lines = [
        go.Scatter(
            y=_short(np.sort(values)),
            name=f"{name} (mean {values.mean():.3g})",
            mode="lines",
            line={"color": marks.get(name, Mark()).colour, "width": 3 if name in marks else 1.5},
        )
        for name, values in shown.values.items()
    ]
    return _json(lines, shown.x, shown.y, {}, {"rangemode": "tozero"}, legend={"x": 0.02, "y": 0.98})


def _relief(shown: Relief, marks: Mapping[str, Mark]) -> str:
    ground = go.Surface(
        x=_whole(shown.x),
        y=_whole(shown.y),
        z=[_whole(row) for row in shown.z],
        colorscale=LAND,
        showscale=False,
        hoverinfo="skip",
        lighting={"diffuse": 0.8, "specular": 0.05, "roughness": 0.9},
    )
    paths = [
        go.Scatter3d(
            x=_whole(P[:, 0]),
            y=_whole(P[:, 1]),
            z=_whole(P[:, 2]),
            name=f"{name}: {mark.reached}",
            mode="lines+markers",
            line={"color": mark.colour, "width": 7},
            marker={"color": mark.colour, "size": 3},
        )
        for name, P in shown.paths.items()
        for mark in [marks.get(name, Mark())]
    ]
    return _solid(
        [ground, _towers(shown.cylinders), *paths],
        ("x", "y", "height"),
        aspectmode="manual",
        aspectratio={"x": 1.0, "y": 1.0, "z": 0.4},
        camera={"eye": {"x": -0.85, "y": -1.15, "z": 1.0}, "center": {"x": 0.0, "y": 0.0, "z": -0.15}},
    )


def _towers(cylinders: Rows) -> Any:
    """All cylinders as one mesh: a ring of points below, one above, two triangles between neighbours."""
    sides = np.arange(_SIDES)
    turn = 2.0 * np.pi * sides / _SIDES
    ring = np.tile(np.column_stack([np.cos(turn), np.sin(turn)]), (2, 1))
    x, y, radius, bottom, top = cylinders.T[:, :, None]
    z = np.repeat(np.hstack([bottom, top]), _SIDES, axis=1)
    X, Y, Z = (_whole(v.ravel()) for v in (x + radius * ring[:, 0], y + radius * ring[:, 1], z))
    after = (sides + 1) % _SIDES
    lower = np.column_stack([sides, after, sides + _SIDES])
    upper = np.column_stack([after, after + _SIDES, sides + _SIDES])
    first = 2 * _SIDES * np.arange(len(cylinders))
    i, j, k = (np.vstack([lower, upper]) + first[:, None, None]).reshape(-1, 3).T.tolist()
    return go.Mesh3d(x=X, y=Y, z=Z, i=i, j=j, k=k, color="#dc2626", opacity=0.25, hoverinfo="skip")


def _solid(traces: Sequence[Any], axes: Sequence[str], **scene: Any) -> str:
    """A figure with three axes, to be turned."""
    plain = {"gridcolor": "#e5e7eb", "backgroundcolor": "white"}
    named = {f"{letter}axis": {**plain, "title": {"text": name}} for letter, name in zip("xyz", axes, strict=True)}
    hidden, edges = {"visible": False}, {"l": 0, "r": 0, "t": 20, "b": 20}
    return _json(traces, "", "", hidden, hidden, height=640, scene={**named, **scene}, margin=edges)


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


def _whole(values: ArrayLike) -> list[int]:
    """To the metre: the ground has thousands of points."""
    return [round(float(value)) for value in frozen(values)]


def _short(values: ArrayLike) -> list[float]:
    """Four digits: the page holds many curves."""
    return [float(f"{value:.4g}") for value in frozen(values)]
