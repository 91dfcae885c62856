from . import solution as solution, texts as texts
from .day import BOUND as BOUND, NO_BID as NO_BID, bid_range as bid_range, condition as condition
from .day import condition_names as condition_names, pay_salaries as pay_salaries, round_money as round_money
from .day import settle_day as settle_day
from .health import DAYS as DAYS, HEALTH as HEALTH, REWARD as REWARD, REWARDS as REWARDS, SURVIVAL as SURVIVAL
from .health import WATER_GAIN as WATER_GAIN, Condition as Condition, MaxHealth as MaxHealth, StartHealth as StartHealth
from .health import Status as Status, alive as alive, encode_reward_and_bound as encode_reward_and_bound, gains as gains
from .health import payoffs as payoffs, status as status, update_condition as update_condition
from .metrics import DEFINITIONS as DEFINITIONS, Day as Day, outcome as outcome, outcome_of as outcome_of
from .metrics import ranges_of as ranges_of
from .texts import ending as ending, event_fields as event_fields, fields as fields, format_balance as format_balance
from .texts import turn as turn
from .water_planning import Town as Town, survivable_dry_days as survivable_dry_days
from .water_program import best_allocation as best_allocation
