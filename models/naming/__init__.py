"""How sites call GPUs: taking a name apart, its spellings, parts and counts, and what contradicts it.

Which card a name stands for is models.gpus, what the cards are models.gpu_table.
"""
