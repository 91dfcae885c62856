"""Gains of trained policies over training seeds, compared with scripts and the ceiling in the same matches."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
