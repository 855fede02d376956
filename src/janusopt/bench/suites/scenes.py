"""Scenes: what a camera sees of random surfaces under random light, with the light's own colour as the truth.

Reflectances are mixtures of smooth bumps, some surfaces grey, each scene with a colour cast of its own; the light is
Planckian (warm scenes) or daylight-like, a Planckian with a ripple; three Gaussian sensitivities make the camera.
Scenes are brighter at the top, where zones of sky are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from janusopt.core.arrays import Rows, Vec

PIXELS = 512
_NM = np.linspace(400.0, 700.0, 31)
_CAMERA = np.exp(-0.5 * ((_NM[:, None] - [600.0, 540.0, 460.0]) / [38.0, 40.0, 30.0]) ** 2)
_BUMPS = np.exp(-0.5 * ((_NM - np.linspace(400.0, 700.0, 8)[:, None]) / 45.0) ** 2)
_NOISE, _DARK = 0.005, 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Scenes:
    """pixels (m, 512, 3) in reading order, light (m, 3) of unit length."""

    pixels: Rows
    light: Rows


def scenes(count: int, rng: np.random.Generator) -> Scenes:
    """So many scenes from a generator."""
    drawn = [_scene(rng) for _ in range(count)]
    return Scenes(np.array([pixels for pixels, _ in drawn]), np.array([light for _, light in drawn]))


def _scene(rng: np.random.Generator) -> tuple[Rows, Vec]:
    light = _light(rng)
    colour = light @ _CAMERA
    surfaces = _surfaces(rng)
    brightness = rng.uniform(0.2, 1.5) * np.linspace(1.4, 0.6, PIXELS)
    pixels = (surfaces * light) @ _CAMERA * brightness[:, None] + _NOISE * rng.standard_normal((PIXELS, 3))
    return np.maximum(pixels, _DARK), colour / np.sqrt((colour**2).sum())


def _light(rng: np.random.Generator) -> Vec:
    """A spectrum of mean one, 2,300 to 9,000 K, even in reciprocal temperature; ripples above 4,500 K."""
    kelvin = 1.0 / rng.uniform(1.0 / 9000.0, 1.0 / 2300.0)
    metre = 1e-9 * _NM
    spectrum = 1.0 / (metre**5 * np.expm1(1.4388e-2 / (metre * kelvin)))
    spectrum /= spectrum.mean()
    ripple, phase = 0.12 * rng.random(), rng.uniform(0.0, 2.0 * np.pi)
    return np.asarray(spectrum * (1.0 + ripple * np.sin(_NM / 40.0 + phase)) if kelvin > 4500.0 else spectrum)


def _surfaces(rng: np.random.Generator) -> Rows:
    """Reflectances (512, 31)."""
    R = rng.gamma(0.5, 1.0, (PIXELS, len(_BUMPS))) @ _BUMPS
    R /= R.max(axis=1, keepdims=True) + 1e-9
    cast = 0.6 * rng.uniform(-1.0, 1.0)
    R *= 1.0 + cast * np.sin(_NM / 60.0 + rng.uniform(0.0, 2.0 * np.pi))
    grey = rng.random(PIXELS) < rng.uniform(0.05, 0.4)
    shades = rng.uniform(0.1, 0.9, (PIXELS, 1)) * (1.0 + 0.03 * rng.standard_normal((PIXELS, len(_NM))))
    return np.where(grey[:, None], shades, R)
