"""What all servers share: the front door, which checks every request, and the socket below it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
