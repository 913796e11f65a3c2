"""Decompositions of the sample."""
