"""Imported by the process that solver workers are forked from: it loads and uses the solver."""

from keypeg.server.solver_answers import SolverAnswers

SolverAnswers().warm()
