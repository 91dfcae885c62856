"""Chat models of language-model players: local ones with transformers, served ones over HTTP.

Imports are light: torch, transformers and the openai client are imported at a model's first reply.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
