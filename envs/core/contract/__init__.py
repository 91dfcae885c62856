"""Contract of a game: moves, rules, parameters, events, chance, objectives."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
