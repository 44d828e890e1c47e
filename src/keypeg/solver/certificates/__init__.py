"""Proofs that a total is the least, in a form that can be checked without the search."""
