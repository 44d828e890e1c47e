"""The attacks, a module for each thing that is used up."""
