"""Tournaments of the classic strategies of repeated 2x2 games, as fast as they can be played."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
