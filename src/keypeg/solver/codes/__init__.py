"""Codes that can be listed: bit words, compiled scoring, symmetry, and what is learned of sizes."""
