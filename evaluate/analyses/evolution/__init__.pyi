from .figures import figures as figures
from .matches import matrix_from_records as matrix_from_records
from .rest_points import rest_points as rest_points
from .study import StudyOptions as StudyOptions, evolution_study as evolution_study
from .tables import payoff_table as payoff_table, rest_table as rest_table, type_table as type_table
