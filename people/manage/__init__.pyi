from .collection import Collections as Collections
from .collection_pages import CollectionPages as CollectionPages
from .judge_pages import JudgePages as JudgePages
from .judgings import Judgings as Judgings
from .monitor import FindStudy as FindStudy, Monitor as Monitor
from .runs import record_server as record_server, running_server as running_server
from .studies import Studies as Studies
from .study_rows import MonitoredStudy as MonitoredStudy, monitor_path as monitor_path
