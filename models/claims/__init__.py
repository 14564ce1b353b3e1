"""Published figures beside ours: what was said, which calculation answers it, and the verdict."""
