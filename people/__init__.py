"""Studies and play with people: the table in the browser, studies, the operator's pages, oTree.

The public names plan and read studies; they are imported on first use (``__init__.pyi`` lists them).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
