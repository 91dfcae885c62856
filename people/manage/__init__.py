"""The operator's pages: collections of matches that run in processes of their own, judging, and studies."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
