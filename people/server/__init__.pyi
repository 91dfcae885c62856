from .fields import EMPTY_MAPPING as EMPTY_MAPPING, Field as Field, Fields as Fields, ShortText as ShortText
from .fields import domain_values as domain_values, parse_count as parse_count, parse_field as parse_field
from .fields import parse_number as parse_number
from .options import TABLE as TABLE, ServeOptions as ServeOptions
from .rendering import FAST_POLL as FAST_POLL, KEEPALIVE_SECONDS as KEEPALIVE_SECONDS, event_response as event_response
from .rendering import render_page as render_page, stream_states as stream_states
from .security import check_player as check_player, derive_key as derive_key, is_operator as is_operator
from .security import operator_only as operator_only, read_form as read_form
from .serving import RECORDS as RECORDS, STORE as STORE, build_application as build_application
from .serving import create_site as create_site, home_link as home_link, listen as listen, page_rules as page_rules
from .site import CURRENT_SITE as CURRENT_SITE, Site as Site, new_site as new_site, site_path as site_path
from .site import texts as texts
from .streams import STREAMS_PER_LINK as STREAMS_PER_LINK, STREAMS_PER_PAGE as STREAMS_PER_PAGE, Listener as Listener
