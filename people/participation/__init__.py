"""The pages of studies: participants come, consent, learn the rules, wait, play, are asked, debriefed and paid."""
