from .lm.dpo import DPORecipe, train_dpo
from .lm.environment import as_trl_environment, make_dataset, make_tool_ready
from .lm.grpo import GRPORecipe, train_grpo
from .lm.iterate import IterationRecipe, train_iterate
from .reward import Reward
from .reward import (
    PENALTY as PENALTY,
    Place as Place,
    as_reward as as_reward,
    describe_reward as describe_reward,
    outcome_of as outcome_of,
    played_value as played_value,
    print_dominance as print_dominance,
)
from .lm.rollout_function import make_rollout, make_rollout_dataset, make_sequence_trainer, match_reward
from .lm.sft import SFTRecipe, train_sft
from .processes import (
    print_once as print_once,
    current_process as current_process,
    sum_over_processes as sum_over_processes,
)
from .recipe import FOLDER as FOLDER, UNSET as UNSET, Data as Data, Evaluation as Evaluation, Network as Network
from .recipe import Optimisation as Optimisation, Recipe as Recipe, Run as Run, Sampling as Sampling, Task as Task
from .recipe import dry_run_table as dry_run_table, training_command as training_command, write_recipe as write_recipe
from .rl.ppo import train_ppo
from .rl.recipe import PPORecipe
from .rl.torchrl_env import BatchTorchEnv
from .rl.vec_env import BatchVecEnv
from .tracking import Trackers as Trackers, require_trackers as require_trackers

__all__ = [
    "BatchTorchEnv",
    "BatchVecEnv",
    "DPORecipe",
    "GRPORecipe",
    "IterationRecipe",
    "PPORecipe",
    "Reward",
    "SFTRecipe",
    "as_trl_environment",
    "make_dataset",
    "make_rollout",
    "make_rollout_dataset",
    "make_sequence_trainer",
    "make_tool_ready",
    "match_reward",
    "train_dpo",
    "train_grpo",
    "train_iterate",
    "train_ppo",
    "train_sft",
]
