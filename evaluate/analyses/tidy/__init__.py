"""Records as tidy tables with a codebook, for statistical software."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
