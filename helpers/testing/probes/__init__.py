"""Ask a launcher which elements its results are made of, and how, by inputs made for that."""
