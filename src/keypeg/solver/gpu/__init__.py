"""One-step strategies on a graphics processor: the same numbers as on the CPU, on larger boards."""
