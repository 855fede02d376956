"""Calibrate a camera's white balance on 111 scenes, with JANUS and without; judge both on scenes not seen before."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import Bounds

import janusopt
from janusopt.bench.picture import Profile
from janusopt.bench.suites import build, pictures
from janusopt.bench.task import Task

COLOURS = {"as built": "#b0b5bd", "CMA-ES alone": "#374151", "CMA-ES with JANUS": "#1d4ed8"}


def draw(axes: plt.Axes, title: str, shown: Profile) -> None:
    """The angle of every scene, sorted, for each calibration."""
    for name, angles in shown.values.items():
        axes.plot(np.sort(angles), color=COLOURS[name], linewidth=2, label=f"{name}: mean {angles.mean():.2f}°")
    axes.set(xlabel=shown.x, ylabel=shown.y, title=title, ylim=(0, 22))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left")


def main() -> None:
    task = Task("awb", "transfer", 119, 1)  # 119 table entries; d = 1135 is the full camera
    camera, found = build(task), {}
    box = Bounds(camera.lower, camera.upper)
    for name, infill in (("CMA-ES alone", None), ("CMA-ES with JANUS", "janus")):
        # fun returns (mean angle, angle of each scene): one component a scene.
        result = janusopt.minimize(
            camera.fun, camera.start, bounds=box, budget=2500, infill=infill, rng=1, vectorized=True
        )
        found[name] = result.x
        unseen = camera.judge(result.x[None, :])[0]
        print(f"{name}: {result.fun:.3f}° on its scenes, {unseen:.3f}° on others, {result.nfev} evaluations")
    figure, panels = plt.subplots(1, 2, figsize=(11, 4), layout="constrained", sharey=True)
    for axes, (title, shown) in zip(panels, pictures(task, found).items(), strict=True):
        draw(axes, title, shown)
        axes.label_outer()
    figure.savefig("calibration.png", dpi=110)
    print("the error of every scene is in calibration.png")


if __name__ == "__main__":
    main()
