"""Imported where solver workers are forked from: the solver, loaded and used once."""

from keypeg.server.solver_answers import SolverAnswers

SolverAnswers().warm()
