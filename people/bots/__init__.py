"""Tests of studies with bots, which take part in the browser; their observations are checked against the data."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
