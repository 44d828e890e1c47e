"""Strategy books: making, keeping, checking and opening them."""
