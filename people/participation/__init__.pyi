from . import blinded_view as blinded_view
from .answers import read_answer as read_answer
from .arrivals import entry_link as entry_link
from .blinded_view import BlindedSeatView as BlindedSeatView, DelayedDesk as DelayedDesk
from .course import Course as Course
from .page_names import DONE as DONE, END_PAGES as END_PAGES, MESSAGE as MESSAGE, OPERATOR as OPERATOR, PAGES as PAGES
from .page_names import PLAY as PLAY, TOP_UP as TOP_UP, WAITING as WAITING
from .page_texts import MatchOpponents as MatchOpponents, StudyTexts as StudyTexts, adapt_texts as adapt_texts
from .page_texts import match_options as match_options
from .participants import Participants as Participants, event_statement as event_statement
from .seating import check_stand_ins as check_stand_ins, exclude as exclude
from .study_pages import PlayPages as PlayPages, StudyPages as StudyPages, error_page as error_page
from .top_up import top_up as top_up
