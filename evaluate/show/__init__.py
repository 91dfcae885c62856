"""Rendering of tables, figures and numbers for terminals, pages and files."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
