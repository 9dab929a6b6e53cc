"""Show results to the learner: plots, tables, exercises, and the notebooks themselves."""
