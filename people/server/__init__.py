"""Web server of the pages: routing, security, sign-in, forms, templates."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
