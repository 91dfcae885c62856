from .connections import listen as listen
from .front_door import ANYBODY as ANYBODY, LOCAL_NAMES as LOCAL_NAMES
from .front_door import FrontDoor as FrontDoor, Rules as Rules
from .front_door import local_rules as local_rules
from .visitors import VisitorLimit as VisitorLimit, visitor_network as visitor_network
