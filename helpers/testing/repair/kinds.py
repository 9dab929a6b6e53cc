"""Name the kinds of edits, in the words in which a learner reads of them.

They stand behind a sentence that knows no cause, so none of them is a word for one that other
sentences name ("a constant", "left out").
"""

COMPARISON = "another comparison"
CONDITION = "another condition, or none"
OPERATOR = "another operator"
ORDER = "its parts in another order"
TERM = "without a part of it"
ONE = "one more or one less"
FACTOR = "another factor"
CONSTANT = "another number"
VARIABLE = "another variable"
INDEX = "another index or size of threads or blocks"
MEMBER = "another member"
FUNCTION = "another function"
TYPE = "another type"
ROUND_UP = "a division that rounds up"
DIVISION = "a division of floats"
BARRIER = "a barrier"
ATOMIC = "an atomic operation"
GUARD = "a test of the index"
LOOP = "a loop over more than one index"
NEEDLESS = "without it"
