"""Effect of the answer format in a prompt on the answers, in matched pairs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
