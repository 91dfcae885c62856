"""Pages of studies: consent, instructions, quiz, waiting room, matches, questionnaire, debriefing, payment."""
