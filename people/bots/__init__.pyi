from .testing import run_study_test as run_study_test
from .trial import BROWSERS as BROWSERS, Crowd as Crowd
