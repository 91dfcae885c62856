"""Open-source games: programs that players submit, the sandbox that runs them, and a library of programs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
