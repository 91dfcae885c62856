from .round_robin import RoundRobin, round_robin

__all__ = [
    "RoundRobin",
    "round_robin",
]
