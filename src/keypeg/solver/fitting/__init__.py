"""Which codes fit a history, on boards of any size, and what is wrong when none does."""
