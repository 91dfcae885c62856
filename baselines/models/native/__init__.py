"""Interfaces that providers have of their own: Anthropic Messages, Gemini, OpenAI Responses, Bedrock and Vertex.

A wire translates the request and the reply of one interface from and to those of chat completions. So budgets, refused
options, waiting, truncation and records are those of the one client, `econzoo.baselines.models.OpenAIChat`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
