from .answers import finish_of as finish_of
from .batch import HALF as HALF
from .chat import Call as Call, ChatModel, Completion, Conversation as Conversation, Message, Schema as Schema
from .chat import collect_completions as collect_completions, complete_calls as complete_calls, fit_to_budget
from .chat import ServedChat as ServedChat, make_call as make_call, ServedModel as ServedModel
from .chat import without_functions as without_functions
from .constrained_decoding import Guide as Guide
from .conversations import acceptable_messages as acceptable_messages, has_blank_reply as has_blank_reply
from .conversations import is_blank as is_blank
from .decode import Row as Row, generate as generate
from .dtype import DTYPES as DTYPES, fastest_dtype as fastest_dtype
from .llama_cpp_chat import LlamaCppChat
from .loading import ADAPTER as ADAPTER, LoadedModel as LoadedModel, load as load, release_models as release_models
from .native_chat import NativeChat
from .mock_chat import ANY_MOVE as ANY_MOVE, CannedChat, FunctionChat
from .openai_chat import OpenAIChat
from .pacing import backoff as backoff, call_with_timeout as call_with_timeout, retry_after as retry_after
from .prices import SpecPrices as SpecPrices
from .reading import Reader as Reader
from .server import RetryError as RetryError
from .smollm2 import smollm2_path
from .token_counts import PRICES_ALLOWED as PRICES_ALLOWED, Prices as Prices, Usage, are_prices as are_prices
from .token_counts import cost_of as cost_of
from .transformers_chat import TransformersChat
from .variants import REPLIES as REPLIES

__all__ = [
    "CannedChat",
    "ChatModel",
    "Completion",
    "FunctionChat",
    "LlamaCppChat",
    "Message",
    "NativeChat",
    "OpenAIChat",
    "TransformersChat",
    "Usage",
    "fit_to_budget",
    "smollm2_path",
]
