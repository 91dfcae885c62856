"""Chat models behind the language-model players: local ones through transformers, served ones over HTTP.

Nothing heavy is imported here: torch, transformers and the openai client come in when a model first answers.
"""

from .chat import ChatModel, Completion, Message, ModelError, fit
from .openai_chat import OpenAIChat, Usage
from .smollm2 import cache_dir, smollm2_path
from .transformers_chat import TransformersChat

__all__ = [
    "ChatModel",
    "Completion",
    "Message",
    "ModelError",
    "OpenAIChat",
    "TransformersChat",
    "Usage",
    "cache_dir",
    "fit",
    "smollm2_path",
]
