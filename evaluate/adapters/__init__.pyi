from .hub import push_model, push_records
from .inspect_task import inspect_records, inspect_task
from .mcp import mcp_app, mcp_server
from .one_seat import OneSeat, SeatObservation
from .openenv import Answer, SeatClient, openenv_app
from .openspiel import openspiel_game
from .player_server import player_app
from .text_match import TextMatch, play_text
from .textarena import TextArenaEnv, register_games
from .textarena_game import TextArenaGame
from .verifiers import GameEnv
from .verifiers_chat import ChatHarness
from .verifiers_taskset import GameTaskset

__all__ = [
    "Answer",
    "ChatHarness",
    "GameEnv",
    "GameTaskset",
    "OneSeat",
    "SeatClient",
    "SeatObservation",
    "TextArenaEnv",
    "TextArenaGame",
    "TextMatch",
    "inspect_records",
    "inspect_task",
    "mcp_app",
    "mcp_server",
    "openenv_app",
    "openspiel_game",
    "play_text",
    "player_app",
    "push_model",
    "push_records",
    "register_games",
]
