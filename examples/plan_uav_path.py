"""Plan a drone's path over hills and between threats, with JANUS and without; ends in a picture of both."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import Bounds

import janusopt
from janusopt.bench.suites.flight import Flight
from janusopt.bench.suites.uav import flight

COLOURS = {"CMA-ES alone": "#6b7280", "CMA-ES with JANUS": "#1a6fc4"}


def draw(axes: plt.Axes, plan: Flight, paths: dict[str, np.ndarray]) -> None:
    """Terrain, threats as cylinders, and each path at its height above sea."""
    land, every = plan.terrain, slice(None, None, 15)
    x, y = np.meshgrid(np.arange(1, 901), np.arange(1, 901))
    axes.plot_surface(x[every, every], y[every, every], land.heights[every, every], cmap="terrain", alpha=0.6)
    angle, height = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 24), [0.0, 250.0])
    for cx, cy, radius in land.threats:
        wall = cx + radius * np.cos(angle), cy + radius * np.sin(angle), height + land.ground(cx, cy)
        axes.plot_surface(*wall, color="#c0392b", alpha=0.2)
    for name, path in paths.items():
        px, py, above = path.T
        axes.plot(px, py, above + land.ground(px, py), color=COLOURS[name], linewidth=2.5, marker=".", label=name)
    axes.set(xlabel="x", ylabel="y", zlabel="height")
    axes.set_box_aspect((1.0, 1.0, 0.35))
    axes.view_init(elev=55, azim=-65)
    axes.legend()


def main() -> None:
    plan = flight("t02", 30)  # 10 waypoints over terrain 2, 15 threats
    box = Bounds(*plan.box)
    paths = {}
    for name, infill in zip(COLOURS, (None, "janus"), strict=True):
        # The plan returns (cost, components): lengths, heights, bends, depth in each threat. JANUS reads them.
        result = janusopt.minimize(plan, bounds=box, budget=2500, infill=infill, rng=1, vectorized=True)
        paths[name] = plan.path(result.x[None, :])[0]
        print(f"{name}: cost {result.fun:.0f} after {result.nfev} evaluations")
    figure, axes = plt.subplots(
        figsize=(8, 7), subplot_kw={"projection": "3d", "computed_zorder": False}, layout="constrained"
    )
    draw(axes, plan, paths)
    figure.savefig("uav_path.png", dpi=120)
    print("the paths are in uav_path.png")


if __name__ == "__main__":
    main()
