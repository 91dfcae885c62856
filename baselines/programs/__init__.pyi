from .evolve import Evolve as Evolve
from .fixed_program import library_players as library_players, read_program as read_program
