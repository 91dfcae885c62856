"""The benchmark ``standard``: all main games, with fixed settings, opponents and seeds, and one score."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
