"""The host's scale as plain data: x ↔ z, the whitened norm and the injection clip.

A frame is the affine map ``x = mean + sigma · L z``. ``L`` is one of

* diagonal           ``diag(scale)``                                (DE, multi-objective hosts, sep-CMA)
* rotated            ``diag(scale) B diag(roots)``, B square         (full CMA)
* low rank + diagonal ``diag(scale) (I + B (diag(roots) − I) Bᵀ)``     (VkD-CMA; B is d×k, k < d)

For a CMA host ``sigma² L Lᵀ`` is its covariance, so z is fully whitened (the paper's ``D⁻¹(x − μ)``).
The square basis is not rotated back: every formula downstream is invariant to a rotation of z.
A frame is handed out by a host and knows no way back into it. A host that samples in coordinates of its own, and
folds them into the box, gives that map along as a :class:`Warp`: then mean, z and every step live in the host's
unbounded coordinates g, and only :meth:`Frame.to_z` and :meth:`Frame.from_z` speak of x.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Protocol

import numpy as np

from janusopt.core.arrays import Rows, Vec, norm


class Warp(Protocol):
    """A host's own coordinates g of points x in the box. While the object is the same one, so is the map."""

    def inward(self, X: Rows) -> Rows:
        """x → g for the rows of X (n, d)."""

    def outward(self, G: Rows) -> Rows:
        """g → x for the rows of G (n, d)."""


@dataclass(frozen=True, eq=False)
class Frame:
    """Where a host samples now, and how wide.

    mean (d,), sigma > 0, scale (d,) > 0, basis (d, k) with orthonormal columns or None, roots (k,) > 0,
    lower/upper (d,) the box (±inf where free). ``shape_id`` changes whenever scale, basis or roots do: caches of
    whitened rows are keyed on it. ``population``: the host keeps rows, not a distribution, and a row of infill takes
    the place of one that it resembles, so that many about one point do not replace them all. ``owns_covariance`` says
    that the host offers ``reshape``; ``decomposes`` that it factorizes its covariance at the next ask anyway, so that a
    reshape now costs nothing extra.
    """

    mean: Vec
    sigma: float
    scale: Vec
    lower: Vec
    upper: Vec
    basis: Rows | None = None
    roots: Vec | None = None
    shape_id: int = 0
    population: bool = False
    owns_covariance: bool = False
    decomposes: bool = False
    warp: Warp | None = None

    @property
    def d(self) -> int:
        return len(self.mean)

    @cached_property
    def boxed(self) -> bool:
        """Whether a step can leave the box: it has one, and no warp folds the step back into it."""
        return self.warp is None and bool(self.lower.max() > -inf or self.upper.min() < inf)

    def whiten(self, V: Rows) -> Rows:
        """``L⁻¹ v`` for displacements v, one per row."""
        Y = V / self.scale
        if self.basis is None or self.roots is None:
            return Y
        if self.rotated:
            Y = Y @ self.basis
            Y /= self.roots
            return Y
        return Y + ((Y @ self.basis) * (1.0 / self.roots - 1.0)) @ self.basis.T

    def rotate(self, V: Rows, out: Rows | None = None) -> Rows:
        """:meth:`whiten` of a rotated frame but for its :attr:`deviations`, in the precision of V, which is used up."""
        if not (self.scale == 1.0).all():
            V /= self.scale
        return V if self.basis is None else np.matmul(V, self.basis.astype(V.dtype, copy=False), out=out)

    @property
    def deviations(self) -> Vec:
        """``sigma · roots`` (d,): the standard deviations along the basis."""
        return np.full(self.d, self.sigma) if self.roots is None else self.sigma * self.roots

    def color(self, Z: Rows) -> Rows:
        """``L z``: the inverse of :meth:`whiten`."""
        if self.basis is None or self.roots is None:
            return Z * self.scale
        if self.rotated:
            return ((Z * self.roots) @ self.basis.T) * self.scale
        return (Z + ((Z @ self.basis) * (self.roots - 1.0)) @ self.basis.T) * self.scale

    def covector(self, g: Rows) -> Rows:
        """``L⁻ᵀ g``: a gradient in z, up to sigma, as a gradient in x."""
        if self.basis is None or self.roots is None:
            return g / self.scale
        if self.rotated:
            return ((g / self.roots) @ self.basis.T) / self.scale
        return (g + ((g @ self.basis) * (1.0 / self.roots - 1.0)) @ self.basis.T) / self.scale

    def pullback(self, g: Rows) -> Rows:
        """``Lᵀ g``: a gradient in x as a gradient in z, up to sigma."""
        Y = g * self.scale
        if self.basis is None or self.roots is None:
            return Y
        if self.rotated:
            return (Y @ self.basis) * self.roots
        return Y + ((Y @ self.basis) * (self.roots - 1.0)) @ self.basis.T

    def host(self, X: Rows) -> Rows:
        """Points x in the host's coordinates: themselves where there is no warp."""
        return X if self.warp is None else self.warp.inward(X)

    def to_z(self, X: Rows) -> Rows:
        """``z = L⁻¹ (g − mean) / sigma`` with g = x, or the host's coordinates of x."""
        return self.of_host(self.host(X))

    def of_host(self, G: Rows) -> Rows:
        """:meth:`to_z` of points that are in the host's coordinates already."""
        V = G - self.mean
        if self.rotated:
            Z = self.rotate(V)
            Z *= 1.0 / self.deviations
        else:
            Z = self.whiten(V)
            Z /= self.sigma
        return Z

    def from_z(self, Z: Rows) -> Rows:
        """``g = mean + sigma · L z`` as a point x of the box."""
        G = self.color(Z)
        G *= self.sigma
        G += self.mean
        if self.warp is None and not self.boxed:
            return G
        X = G if self.warp is None else self.warp.outward(G)
        return np.minimum(np.maximum(X, self.lower), self.upper)

    def length(self, x: Vec) -> float:
        """Whitened distance of x from the mean: ``‖y_e‖`` of Prop. 3."""
        return norm(self.to_z(x))

    def shorten(self, z: Vec, kappa: float) -> Vec:
        """Bounded injection (Prop. 3): z (d,) pulled towards the mean until ``‖z‖ ≤ κ√d``."""
        return z * min(1.0, kappa * float(np.sqrt(self.d)) / max(norm(z), 1e-300))

    def clip(self, x: Vec, kappa: float) -> Vec:
        """The same for a point x; the mean lies in the box, so the pull cannot leave it."""
        return x if self.length(x) <= kappa * np.sqrt(self.d) else self.from_z(self.shorten(self.to_z(x), kappa))

    @property
    def widest(self) -> float:
        """The largest standard deviation, but for how scale and basis combine: up to max(scale)/min(scale) off."""
        return self.sigma * float(self.scale.max()) * (1.0 if self.roots is None else float(self.roots.max()))

    @property
    def reach(self) -> float:
        """κ up to which a CMA host takes a row for its own: ``√d + 2d/(d + 2)`` (Hansen 2011), in units of √d."""
        return 1.0 + 2.0 * float(np.sqrt(self.d)) / (self.d + 2.0)

    def axes(self) -> Frame:
        """The same place with a diagonal scale: each coordinate's own standard deviation (blockwise mode)."""
        if self.basis is None or self.roots is None:
            return self
        if self.rotated:
            spread = np.sqrt(((self.basis * self.roots) ** 2).sum(axis=1))
        else:
            spread = np.sqrt(1.0 + (self.basis**2) @ (self.roots**2 - 1.0))
        return Frame(
            self.mean, self.sigma, self.scale * spread, self.lower, self.upper, shape_id=self.shape_id, warp=self.warp
        )

    @property
    def rotated(self) -> bool:
        """Whether L is ``diag(scale) B diag(roots)`` with a square B."""
        return self.basis is not None and self.basis.shape[0] == self.basis.shape[1]
