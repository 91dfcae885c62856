"""Alternating-offers games of two seats: one proposes an amount, the other accepts or rejects, in turns."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
