"""Compiled rules (Numba) for batches of games, as arrays and as a Gymnasium vector environment."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
