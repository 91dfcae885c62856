from . import ends as ends
from .anonymity import forget as forget, forget_statements as forget_statements, tombstone_of as tombstone_of
from .bonus import DRAW as DRAW, bonus_payoffs as bonus_payoffs, bonus_so_far as bonus_so_far
from .bonus import compute_bonus as compute_bonus, has_common_unit as has_common_unit, round_payoffs as round_payoffs
from .comparison import HEADS as HEADS, comparison_rows as comparison_rows, comparison_table as comparison_table
from .comparison import people_against_models as people_against_models
from .declaration import HUMAN as HUMAN, LINKS as LINKS, MAX_COUNT as MAX_COUNT, MIN_LIMIT as MIN_LIMIT, MTURK as MTURK
from .declaration import PARTNER as PARTNER, PAY as PAY, PERSON as PERSON, POLICIES as POLICIES, PROLIFIC as PROLIFIC
from .declaration import STRANGER as STRANGER, Study as Study, speed_up as speed_up
from .ends import TIMEOUT_EVENTS as TIMEOUT_EVENTS, WRONG_ANSWERS as WRONG_ANSWERS, WRONG_WORD as WRONG_WORD
from .ends import return_link as return_link
from .example import design_example as design_example, example_study as example_study
from .expected_earnings import read_pilot as read_pilot
from .expected_time import MOVE_SECONDS as MOVE_SECONDS, TEST_FILE as TEST_FILE, read_test as read_test
from .export import RECORDS as RECORDS, export_study as export_study, format_csv as format_csv
from .items import BOX as BOX, CHOICE as CHOICE, IMAGE as IMAGE, IMAGES as IMAGES, LIKERT as LIKERT
from .items import MAX_IMAGE_BYTES as MAX_IMAGE_BYTES, MULTIPLE as MULTIPLE, NUMBER as NUMBER, SLIDER as SLIDER
from .items import TEXT as TEXT, TICKED_ANSWER as TICKED_ANSWER, Item as Item
from .matching import SEEDS as SEEDS, PlannedMatch as PlannedMatch, arms_by_place as arms_by_place
from .matching import block_size as block_size, plan_matches as plan_matches
from .pairing import ALONE as ALONE, BEGIN as BEGIN, MINIMUM_WAIT as MINIMUM_WAIT, SKIP as SKIP, Pairing as Pairing
from .pairing import ParticipantProgress as ParticipantProgress, Step as Step, Waiter as Waiter
from .payment import ALL as ALL, BEST as BEST, RANDOM as RANDOM, ROUND as ROUND, Bonus as Bonus, Unit as Unit
from .plan import Assumptions as Assumptions, build_plan as build_plan, counts_table as counts_table
from .plan import plan_lines as plan_lines, warning_lines as warning_lines
from .preregistration import preregistration as preregistration
from .roster import Roster as Roster, Seats as Seats, load_absent_seats as load_absent_seats
from .roster import load_added_places as load_added_places, load_seats as load_seats
from .roster import payoff_for_bonus as payoff_for_bonus
from .sessions import export_sessions as export_sessions
from .settings import DESIGNS as DESIGNS
from .stages import PRACTICE as PRACTICE, PRACTICE_EVENT as PRACTICE_EVENT, STAGE_EVENT as STAGE_EVENT, SURVEY as SURVEY
from .stages import Stage as Stage, answers_kind as answers_kind
from .study_data import COLUMNS as COLUMNS, ENTRY as ENTRY, FILE as FILE, HIDDEN as HIDDEN, NO_PARTNER as NO_PARTNER
from .study_data import PAGE_REACHED as PAGE_REACHED, STORE as STORE, VIEW as VIEW, VISIBLE as VISIBLE
from .study_data import Participant as Participant, Result as Result, ResultStore as ResultStore
from .study_data import load_participants as load_participants, load_roster as load_roster
from .study_data import notice_statement as notice_statement, open_store as open_store
from .study_data import participant_results as participant_results
from .study_file import read_study as read_study, select_session as select_session
from .tables import format_cents as format_cents, table_heads as table_heads, table_rows as table_rows
