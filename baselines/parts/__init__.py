"""Parts of language-model players: persona, memory, reasoning and tools.

Each part is small and replaceable; `econzoo.baselines.language_model.LanguageModelPlayer` combines them with a model.
None of them is specific to a game: they use what every player observes.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
