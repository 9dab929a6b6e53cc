"""Recognise in a wrong output, by what is right and by the inputs, what went wrong."""
