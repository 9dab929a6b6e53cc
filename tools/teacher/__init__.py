"""Write the teacher's guide from the lessons: `python -m tools.teacher`, or `make teacher`."""
