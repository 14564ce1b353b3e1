"""What training takes: FLOP, memory, hours, GPUs, failures, and what is uncertain about them.

Does not belong here: money (models.costs), facts about one model or one card (models.llms, models.gpus).
"""
