"""How players behave: anchoring, concessions, agreement, honesty, trust, and what words are worth."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
