"""Bidders for water: what the players of water allocation and of the survival auction share."""
