"""In which type the arithmetic of learning is fastest here; see `econzoo.baselines.models.dtype`."""

from __future__ import annotations

from econzoo.baselines.models.dtype import DTYPES, fastest, measure

__all__ = ["DTYPES", "fastest", "measure"]
