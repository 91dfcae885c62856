"""The regression analysis of GLEE (arXiv:2410.05254) on any records: effects of settings and players."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
