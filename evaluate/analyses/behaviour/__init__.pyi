from .channel import channel_designs as channel_designs
from .offers import ending_table as ending_table
