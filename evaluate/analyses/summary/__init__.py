"""Summary of recorded matches: ranking, cross-play, theory; tables, figures and report."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
