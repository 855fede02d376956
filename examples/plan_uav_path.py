"""Plan a drone's path over hills and between threats, with JANUS and without; ends in a picture of both."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LightSource, LinearSegmentedColormap
from scipy.optimize import Bounds

import janusopt
from janusopt.bench.picture import Relief
from janusopt.bench.suites import build, pictures
from janusopt.bench.task import Task

LAND = LinearSegmentedColormap.from_list("land", ["#6b9a6a", "#b9c48f", "#c9ad82", "#f4efe6"])
COLOURS, RED = {"CMA-ES alone": "#1f2937", "CMA-ES with JANUS": "#1d4ed8"}, "#dc2626"


def draw_view(axes: plt.Axes, land: Relief) -> None:
    """The ground, the threats as cylinders, and each path."""
    shades = LightSource(270, 50).shade(land.z, LAND, blend_mode="soft", vert_exag=0.05)
    axes.plot_surface(*np.meshgrid(land.x, land.y), land.z, facecolors=shades, rcount=60, ccount=60, shade=False)
    for cx, cy, radius, bottom, top in land.cylinders:
        angle, height = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 25), [bottom, top])
        axes.plot_surface(cx + radius * np.cos(angle), cy + radius * np.sin(angle), height, color=RED, alpha=0.2)
    for name, path in land.paths.items():
        axes.plot(*path.T, color=COLOURS[name], linewidth=2.5, marker=".")
    axes.set_box_aspect((1.0, 1.0, 0.3), zoom=1.2)
    axes.set_axis_off()


def draw_map(axes: plt.Axes, land: Relief) -> None:
    """The same from above."""
    axes.contourf(land.x, land.y, land.z, 24, cmap=LAND)
    for cx, cy, radius, *_ in land.cylinders:
        axes.add_patch(plt.Circle((cx, cy), radius, color=RED, alpha=0.45))
    for name, path in land.paths.items():
        axes.plot(*path.T[:2], color=COLOURS[name], linewidth=2.5, marker=".", label=name)
    axes.set(xlim=(1, 900), ylim=(1, 900), aspect="equal", xticks=[], yticks=[])
    axes.legend(loc="upper left")


def main() -> None:
    task = Task("uav", "t02", 30, 1)  # 10 waypoints over terrain 2, 15 threats
    plan, found = build(task), {}
    box = Bounds(plan.lower, plan.upper)
    for name, infill in zip(COLOURS, (None, "janus"), strict=True):
        # fun returns (cost, components): lengths, heights, bends, depth in each threat. JANUS reads them.
        result = janusopt.minimize(plan.fun, bounds=box, budget=2500, infill=infill, rng=1, vectorized=True)
        found[name] = result.x
        print(f"{name}: cost {result.fun:.0f} after {result.nfev} evaluations")
    (land,) = pictures(task, found).values()
    figure = plt.figure(figsize=(11, 5), layout="constrained")
    draw_view(figure.add_subplot(1, 2, 1, projection="3d", computed_zorder=False, elev=45, azim=-110), land)
    draw_map(figure.add_subplot(1, 2, 2), land)
    figure.savefig("uav_path.png", dpi=110)
    print("the paths are in uav_path.png")


if __name__ == "__main__":
    main()
