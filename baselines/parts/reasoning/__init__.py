"""Methods of reasoning, which only use the question of the turn and so work in every game.

Only `Author` and `AuthorFromScratch` are specific to open-source games.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
