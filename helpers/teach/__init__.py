"""What the learner sees: plots, tables, exercises, and the notebooks themselves."""
