"""What kindred games share."""
