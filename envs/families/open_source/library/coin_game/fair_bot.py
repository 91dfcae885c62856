"""Leaves the other's coin alone if the other would leave mine alone now: runs it to find out.

With probability EPSILON it does so without looking, so that two such programs that run each other come to an end.
Source: Oesterheld 2019, Robust program equilibrium, Theory and Decision 86 (epsilon-grounded FairBot), carried over
to the coin game.
"""

EPSILON = 0.3


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


def would_take_mine(state, history, source):
    """Whether the other's next move leads to my coin, and not to its own in the same cell."""
    mine, others = find_coin_positions(state, MY_ID)
    move = simulate(source, history, state)
    return get_adjacent_positions(find_opponent_position(state, MY_ID))[move] == mine and mine != others


def strategy_function(state, my_history, opp_history, my_program_code, opponent_program_code):
    """Shares with who would share."""
    if random.random() < EPSILON:
        return own_coin_move(state)
    history = [[mine, others] for mine, others in zip(my_history, opp_history)]
    try:
        taken = would_take_mine(state, history, opponent_program_code)
    except RuntimeError:
        taken = True
    return greedy_move(state) if taken else own_coin_move(state)
