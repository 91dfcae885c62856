from .batch import GameBatch
from .batch_numbers import BatchNumbers as BatchNumbers
from .compiling import compile_game as compile_game
from .function_compiler import FunctionCompiler as FunctionCompiler, numba as numba
from .gymnasium_env import VectorGameEnv as VectorGameEnv
from .layout import CannotCompileError as CannotCompileError
from .learner_batch import LearnerBatch
from .opponents import Opponent as Opponent
from .scripted_seats import can_compile as can_compile, script_of as script_of

__all__ = [
    "GameBatch",
    "LearnerBatch",
]
