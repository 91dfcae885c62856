"""Takes its own coin alone; after the other took mine, any coin until the other takes one of its own.

It keeps the last board that it saw: who stands where a coin lay has taken it.
Source: tit for tat in the coin game (Lerer & Peysakhovich 2017, Maintaining cooperation in complex social dilemmas
using deep reinforcement learning).
"""

SEEN = []
ANGRY = []


def distance(here, there, size):
    """Moves from one cell to another, with the edges joined."""
    rows, columns = abs(here[0] - there[0]), abs(here[1] - there[1])
    return min(rows, size - rows) + min(columns, size - columns)


def greedy_move(state):
    """The move that leads nearest to a coin of any colour."""
    coins = [coin for coin in find_coin_positions(state, MY_ID) if coin]
    cells = get_adjacent_positions(find_my_position(state, MY_ID))
    return min(MOVES, key=lambda move: min([distance(cells[move], coin, len(state[0])) for coin in coins]))


def own_coin_move(state):
    """The move that leads nearest to my coin among those that do not take the other's."""
    mine, others = find_coin_positions(state, MY_ID)
    cells = get_adjacent_positions(find_my_position(state, MY_ID))
    fair = [move for move in MOVES if cells[move] != others or others == mine]
    return min(fair, key=lambda move: distance(cells[move], mine, len(state[0])))


def watch(state):
    """Notes which coin the other took with its last move."""
    if SEEN:
        mine, others = SEEN.pop()
        stands = find_opponent_position(state, MY_ID)
        if stands == others:
            ANGRY[:] = []
        elif stands == mine:
            ANGRY[:] = [True]
    SEEN.append(find_coin_positions(state, MY_ID))


def strategy_function(state, my_history, opp_history, my_program_code, opponent_program_code):
    """Answers the last coin that the other took."""
    watch(state)
    return greedy_move(state) if ANGRY else own_coin_move(state)
