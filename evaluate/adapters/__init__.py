"""Adapters to other libraries: one module per library, none per game.

The names below are imported when first used (``__init__.pyi`` lists them); each needs the extra of its library.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
