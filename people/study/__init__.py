"""Studies with people: study file, matching, payment, plan, export and comparison."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
