from .design import design as design
from .equilibria import Equilibria as Equilibria, equilibria as equilibria, pure_equilibria as pure_equilibria
from .families import family as family, levels as levels
from .features import MODES as MODES, PAPER_BASELINE_PLAYER as PAPER_BASELINE_PLAYER, SETTING_FEATURE as SETTING_FEATURE
from .observations import Observations as Observations, observe as observe
from .prediction import predict_xgboost as predict_xgboost
from .regression import Effect as Effect
from .study import FamilyStudy as FamilyStudy, regression_study as regression_study
