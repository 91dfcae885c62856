"""Matches, tournaments and their records, replays, statistics, figures and reports.

The names below are imported when first used (``__init__.pyi`` lists them), so that the package is light.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
