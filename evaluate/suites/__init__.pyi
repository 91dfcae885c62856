from .evaluation import SEEDS as SEEDS, TEST_POOL_NOTICE as TEST_POOL_NOTICE, evaluation_design as evaluation_design
from .evaluation import play_evaluation as play_evaluation
from .suite import SUITES as SUITES, Suite as Suite, SuiteRequest as SuiteRequest, suite as suite
from .families import (
    evaluate_families as evaluate_families,
    named_families as named_families,
)
