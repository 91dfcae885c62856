from .study.matching import plan_matches
from .study.power import Contrast, detectable_effect
from .study.study_file import read_study, select_session

__all__ = ["Contrast", "detectable_effect", "plan_matches", "read_study", "select_session"]
