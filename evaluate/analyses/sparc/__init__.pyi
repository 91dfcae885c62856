from . import dataset as dataset
from .answers import GAME as GAME, PROMPTS as PROMPTS, is_model as is_model
