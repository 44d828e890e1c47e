"""Imported where thinkers are forked from: the solver, loaded and used once."""

from keypeg.server.thinker import SolverThinker

SolverThinker().warm()
