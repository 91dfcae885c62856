"""GLEE (arXiv:2410.05254): import, export and configurations of its published games."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
