"""Chat models of language-model players: local ones with transformers, served ones over HTTP.

Imports are light: torch, transformers and the openai client are imported at a model's first reply.
"""

from econzoo.baselines.calls import ModelError
from econzoo.baselines.models.chat import ChatModel, Completion, Message, fit_to_budget
from econzoo.baselines.models.mock_chat import CannedChat, FunctionChat
from econzoo.baselines.models.openai_chat import OpenAIChat
from econzoo.baselines.models.smollm2 import smollm2_path
from econzoo.baselines.models.token_counts import Usage
from econzoo.baselines.models.transformers_chat import TransformersChat

__all__ = [
    "CannedChat",
    "ChatModel",
    "Completion",
    "FunctionChat",
    "Message",
    "ModelError",
    "OpenAIChat",
    "TransformersChat",
    "Usage",
    "fit_to_budget",
    "smollm2_path",
]
