"""The planner's side: which cells there are, how each gets its environment, what they add up to.

This side knows results (schema 1) and never how a fault is injected. It talks to the core through
its command line and JSON alone, because the two run under different interpreters.
"""
