"""Analyses of records: each computes from records and plays nothing.

The names below are imported when first used (``__init__.pyi`` lists them).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
