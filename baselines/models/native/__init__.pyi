from .chat import NativeChat

__all__ = ["NativeChat"]
