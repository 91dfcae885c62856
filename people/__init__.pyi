from .study.matching import plan_matches
from .study.power import Contrast, detectable_effect
from .study.study_file import read_study, select_session
from .study_server import serve_study as serve_study
from .table_server import serve_run as serve_run, serve_table as serve_table

__all__ = [
    "Contrast",
    "detectable_effect",
    "plan_matches",
    "read_study",
    "select_session",
]
