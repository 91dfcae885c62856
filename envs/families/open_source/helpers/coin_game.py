"""What a program of the coin game finds beside the names of the language. Positions are (row, column)."""

MOVES = ["UP", "DOWN", "LEFT", "RIGHT"]
BOARD = [3]


def _first(layer):
    for row in range(len(layer)):
        for column in range(len(layer)):
            if layer[row][column]:
                return (row, column)
    return None


def find_my_position(state, my_id):
    """Where the player "A" or "B" stands, or None."""
    return _first(state[0 if my_id == "A" else 1])


def find_opponent_position(state, my_id):
    """Where the other player stands, or None."""
    return _first(state[1 if my_id == "A" else 0])


def find_coin_positions(state, my_id):
    """The own coin and the other's coin, each a position or None."""
    red, blue = _first(state[2]), _first(state[3])
    return (red, blue) if my_id == "A" else (blue, red)


def get_adjacent_positions(position):
    """Where each of the four moves leads, with the edges joined."""
    row, column, size = position[0], position[1], BOARD[0]
    return {
        "UP": ((row - 1) % size, column),
        "DOWN": ((row + 1) % size, column),
        "LEFT": (row, (column - 1) % size),
        "RIGHT": (row, (column + 1) % size),
    }
