"""Judgements: scores of recorded players by models and people on a rubric, and inter-judge agreement."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
