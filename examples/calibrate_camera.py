"""Calibrate a camera's white balance on 111 scenes, with JANUS and without; judge both on scenes not seen before."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import Bounds

import janusopt
from janusopt.bench.suites import build
from janusopt.bench.task import Task

COLOURS = {"as built": "#b0b5bd", "CMA-ES alone": "#6b7280", "CMA-ES with JANUS": "#1a6fc4"}


def draw(axes: plt.Axes, angles: dict[str, np.ndarray]) -> None:
    """The angle of every scene, sorted, for each calibration."""
    for name, values in angles.items():
        axes.plot(np.sort(values), color=COLOURS[name], linewidth=2, label=f"{name}: mean {values.mean():.2f}°")
    axes.set(xlabel="scene, by its error", ylabel="reproduction angle in degrees", title="White balance per scene")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)


def main() -> None:
    camera = build(Task("awb", "transfer", 119, 1))  # 119 table entries; d = 1135 is the full camera
    box = Bounds(camera.lower, camera.upper)
    angles = {"as built": camera.fun(camera.start[None, :])[1][0]}
    for name, infill in (("CMA-ES alone", None), ("CMA-ES with JANUS", "janus")):
        # fun returns (mean angle, angle of each scene): one component a scene.
        result = janusopt.minimize(
            camera.fun, camera.start, bounds=box, budget=2500, infill=infill, rng=1, vectorized=True
        )
        angles[name] = result.components
        unseen = camera.judge(result.x[None, :])[0]
        print(f"{name}: {result.fun:.3f}° on its scenes, {unseen:.3f}° on others, {result.nfev} evaluations")
    figure, axes = plt.subplots(figsize=(6.5, 4), layout="constrained")
    draw(axes, angles)
    figure.savefig("calibration.png", dpi=120)
    print("the error of every scene is in calibration.png")


if __name__ == "__main__":
    main()
