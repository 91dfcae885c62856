from .learning_table import SeatComparison as SeatComparison, learning_table as learning_table
from .tables import learning_tables as learning_tables, plain_table as plain_table
from .tables import read_learning_tables as read_learning_tables, write_learning_table as write_learning_table
from .trainings import Training as Training, trainings as trainings
