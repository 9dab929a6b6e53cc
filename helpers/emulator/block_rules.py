"""Say which kernels can run by phases of a block without checks, and what statements access.

block_phases.py asks. Pointers that may come of a cast are asked for their alignment where they
are used, and so are indices of arrays whose length the compiler checks, unless they surely lie
inside. A kernel stays as it is where that cannot be written; if a thread could wait for another
one in a loop; or if a text does more than it shows, by a macro, a reference, an operator or a
destructor.

Two statements without a barrier between them may be two loops over the threads if no thread
reaches in the second what another one changes in the first, or the other way round. A thread's
own element, at threadIdx.x, and what one thread alone does (`if (threadIdx.x == 0)`) are told
apart from the rest of an array.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from helpers.emulator.accesses import (
    ANYWHERE,
    DYNAMIC,
    GLOBAL,
    OF,
    OWN,
    Accesses,
    is_outside,
    of_thread,
)
from helpers.emulator.phase_rules import (
    BLOCK,
    CALLED,
    WORDS,
    File,
    Kernel,
    Stays,
    change,
)
from helpers.emulator.syntax_tree import Node

_CASTS = frozenset(
    "CSTYLE_CAST_EXPR CXX_STATIC_CAST_EXPR CXX_FUNCTIONAL_CAST_EXPR "
    "CXX_REINTERPRET_CAST_EXPR CXX_CONST_CAST_EXPR CXX_DYNAMIC_CAST_EXPR".split()
)
_AROUND = frozenset("UNEXPOSED_EXPR PAREN_EXPR".split())
_LITERALS = frozenset(
    "INTEGER_LITERAL FLOATING_LITERAL CHARACTER_LITERAL CXX_BOOL_LITERAL_EXPR TYPE_REF".split()
)
_COMPUTED = frozenset("+ - * / % & | ^ && || << >> < > <= >= == !=".split())
_BUILT_IN = re.compile(r"[\s(]*(?:threadIdx|blockIdx|blockDim|gridDim)\s*\.\s*[xyz][\s)]*")
_ATOMIC = re.compile(r"atomic(?:Add|Sub|Min|Max|And|Or|Xor)$")
_WORD = re.compile(r"[A-Za-z_]\w*")
_NUMBER_WORDS = frozenset("unsigned int long short float double sizeof static_cast".split())
_REFUSED = re.compile(r"\b(?:printf|assert|atomicCAS\w*)\b")
_METHODS = frozenset("CXX_METHOD CONSTRUCTOR DESTRUCTOR CONVERSION_FUNCTION".split())
_NUMBERS = frozenset(
    "INT UINT LONG ULONG LONGLONG ULONGLONG FLOAT DOUBLE BOOL USHORT SHORT UCHAR".split()
)
_LOOPS = frozenset("FOR_STMT WHILE_STMT DO_STMT".split())


def _inner(node: Node) -> Node:
    """Return what brackets and the compiler's own conversions are around."""
    while node.kind in _AROUND and len(node.children) == 1:
        node = node.children[0]
    return node


def _kind(node: Node) -> str:
    return node.cursor.type.get_canonical().kind.name


def _is_array(node: Node) -> bool:
    return _kind(node).endswith("ARRAY")


def _is_number(node: Node) -> bool:
    """Say whether a type is a number, or a template's parameter, which is taken for one."""
    kind = node.cursor.type.get_canonical()
    return kind.kind.name in _NUMBERS or bool(
        re.fullmatch(r"(?:const )?type-parameter-\d+-\d+", kind.spelling)
    )


class Rules:
    """What one kernel does, beyond what phases of warps ask (phase_rules.py)."""

    def __init__(self, kernel: Kernel, file: File, code: str):
        self.kernel, self.file, self.code = kernel, file, code
        self.uniform = self._uniform()
        self.has_casts = False
        self.reached: list[Node] = []  # pointers that are asked for their alignment
        self.only: int | None = None  # what is noted, the thread of this threadIdx.x alone does
        self.asked: list[Node] = []  # elements whose index is asked whether it lies inside
        self.names = [
            one.cursor.spelling for one in kernel.nodes if one.kind == "VAR_DECL"
        ] + sorted(kernel.parameters)

    def _text(self, node: Node) -> str:
        return self.code[node.begin : node.end]

    # ---- variables of a block ----------------------------------------------------------------

    def _uniform(self) -> set[int]:
        """Return where variables are declared that change, and always alike for all threads."""
        kernel = self.kernel
        found = {
            one.begin: one
            for one in kernel.nodes
            if self.is_number(one) and (one.children or one.parent.kind == "DECL_STMT")
        }
        found = {
            at: one for at, one in found.items() if kernel.changes(one) or self._is_of_loop(one)
        }
        changes: dict[int, list[Node]] = {at: [] for at in found}
        for node in kernel.nodes:
            if self._is_assignment(node):
                declared = kernel.declared(node.children[0])
                if declared is not None and declared.begin in changes:
                    changes[declared.begin].append(node)
        # In a template the tree may not say that something is an assignment.
        found = {at: one for at, one in found.items() if self._all_are_known(one, changes[at])}
        while True:
            kernel.levels.clear()
            kernel.levels.update(dict.fromkeys(found, BLOCK))
            left = {
                at: one
                for at, one in found.items()
                if all(map(self._is_uniform_change, changes[at]))
                and (self.is_open(one) or self._begins_alike(one))
            }
            if len(left) == len(found):
                return set(found)
            found = left

    def _all_are_known(self, variable: Node, changes: list[Node]) -> bool:
        """Say whether all places that may change a variable are among these."""
        scope = variable.parent.parent
        places = change(variable.cursor.spelling).finditer(self.code, variable.end, scope.end)
        return all(
            any(one.begin <= found.start() < one.end for one in changes) for found in places
        )

    @staticmethod
    def is_number(variable: Node) -> bool:
        """Say whether a node declares a number of a thread's own."""
        return (
            variable.kind == "VAR_DECL"
            and variable.cursor.type.get_canonical().kind.name in _NUMBERS
            and not variable.has("CUDASHARED_ATTR")
            and variable.cursor.storage_class.name == "NONE"
        )

    @staticmethod
    def is_open(variable: Node) -> bool:
        """Say whether a variable is declared without a value."""
        return all(one.kind == "TYPE_REF" for one in variable.children)

    def _begins_alike(self, variable: Node) -> bool:
        kernel = self.kernel
        return kernel.level(variable.children[-1]) >= BLOCK and all(
            kernel.of_variable(other) >= BLOCK for other in variable.parent.children
        )

    @staticmethod
    def _is_of_loop(variable: Node) -> bool:
        loop = variable.parent.parent
        return loop.kind == "FOR_STMT" and variable.parent is loop.children[0]

    def _is_uniform_change(self, node: Node) -> bool:
        """Say whether all threads change a variable alike, at the same place."""
        if any(self.kernel.level(one) < BLOCK for one in node.children[1:]):
            return False
        if _inner(node.children[0]).kind != "DECL_REF_EXPR":
            return False
        if any(self._is_assignment(one) for by in node.children[1:] for one in by.all()):
            return False
        declared = self.kernel.declared(node.children[0])
        scope = declared.parent.parent
        of_block = scope is self.kernel.body or bool(self.kernel.inside(scope))
        inner, around = node, node.parent
        while around is not self.kernel.body:
            if scope.begin <= around.begin and around.end <= scope.end:
                if of_block and not self.kernel.inside(around):
                    return False  # it is written as what each thread does
            if around.kind == "FOR_STMT":
                if not self.is_uniform_loop(around):
                    return False
            elif around.kind == "IF_STMT":
                if inner is around.children[0] or self.kernel.level(around.children[0]) < BLOCK:
                    return False
            elif around.kind in ("WHILE_STMT", "DO_STMT"):
                condition = around.children[0 if around.kind == "WHILE_STMT" else -1]
                if inner is condition or self.kernel.level(condition) < BLOCK:
                    return False
                if self._is_left(around):
                    return False
            elif around.kind not in ("COMPOUND_STMT", "UNEXPOSED_STMT"):
                return False
            inner, around = around, around.parent
        return True

    def is_uniform_loop(self, loop: Node) -> bool:
        """Say whether all threads make the same rounds of a `for` loop."""
        if len(loop.children) not in (3, 4) or self._is_left(loop):
            return False
        first, *others, _ = loop.children
        if first.kind == "DECL_STMT":
            own = first.children
        elif len(loop.children) == 4 and self._is_assignment(first):
            own = [self.kernel.declared(first.children[0])]
            if any(self.kernel.level(by) < BLOCK for by in first.children[1:]):
                return False
        else:
            return False
        if any(one is None or one.kind != "VAR_DECL" for one in own):
            return False
        if any(self.kernel.of_variable(one) < BLOCK for one in own):
            return False
        condition = others[0]
        if len(others) == 1 and self._is_assignment(condition):
            return False
        if self.kernel.level(condition) < BLOCK:
            return False
        return all(
            self._is_assignment(one)
            and self.kernel.declared(one.children[0]) in own
            and all(self.kernel.level(by) >= BLOCK for by in one.children[1:])
            for one in others[1:]
        )

    @staticmethod
    def _is_left(loop: Node) -> bool:
        return any(
            one.kind in ("BREAK_STMT", "CONTINUE_STMT", "RETURN_STMT") for one in loop.all()
        )

    def changed_of_block(self, node: Node) -> Node | None:
        """Return the declaration of the block's variable that a statement changes, if any."""
        if not self._is_assignment(node):
            return None
        declared = self.kernel.declared(node.children[0])
        return declared if declared is not None and declared.begin in self.uniform else None

    def is_turned(self, loop: Node, others: Accesses) -> bool:
        """Say whether a loop may be run round by round, each for all threads.

        others: what else is accessed between the barriers around it.
        """
        if loop.kind != "FOR_STMT" or not self.is_uniform_loop(loop):
            return False
        seen = self.accesses(loop)
        if seen.writes or ANYWHERE in seen.reads or seen.conflicts_with(others):
            return False
        body = loop.children[-1]
        return (
            not any(self._lambda_of(one) for one in body.all())
            and not any(
                one.kind in _LOOPS or one.kind in ("IF_STMT", "SWITCH_STMT", "DECL_STMT")
                for one in body.all()
            )
            and not any(
                one.kind == "CALL_EXPR" and self.file.bodies(one.cursor.spelling)
                for one in body.all()
                if _WORD.fullmatch(one.cursor.spelling)
            )
        )

    # ---- which kernels -----------------------------------------------------------------------

    def require_plain(self) -> None:
        """Raise Stays for a kernel that cannot run without checks."""
        body = self._text(self.kernel.body)
        if _REFUSED.search(body):
            raise Stays
        called = set(CALLED.findall(body)) - WORDS
        for name in set(_WORD.findall(body)):
            if name in self.file.macros and not self._is_number(name):
                raise Stays
            heads = self.file.bodies(name) if name in called else ()
            if any("&" in head for head, _ in heads):
                raise Stays
        for node in self.kernel.nodes:
            self._require_plain(node)
        if self.has_casts:
            self._require_reached_by_value()

    def _is_number(self, macro: str, known: frozenset[str] = frozenset()) -> bool:
        """Say whether a macro stands for numbers and operators alone."""
        text = self.file.macros[macro]
        if re.search(
            r"(?<![=!<>])=(?!=)|\+\+|--|[\[\]{};\"'#.]|->", re.sub(r"\d\.\d*f?|\d", "1", text)
        ):
            return False
        return all(
            word in _NUMBER_WORDS
            or (
                word in self.file.macros
                and word not in known
                and self._is_number(word, known | {macro})
            )
            for word in re.findall(r"(?<![\w.])[A-Za-z_]\w*", text)
        )

    def _require_plain(self, node: Node) -> None:
        kind = node.kind
        if kind in _CASTS and _kind(node) == "POINTER":
            self._require_plain_cast(node)
        if kind in ("VAR_DECL", "PARM_DECL"):
            self._require_plain_variable(node)
        elif kind in ("DECL_REF_EXPR", "MEMBER_REF_EXPR"):
            self._require_by_element(node)
            meant = node.cursor.referenced
            if meant is None or kind == "MEMBER_REF_EXPR":
                return
            is_file_scope = meant.kind.name == "VAR_DECL" and self.kernel.declared(node) is None
            if is_file_scope and _kind(node) in ("POINTER", "LVALUEREFERENCE"):
                raise Stays
        elif kind == "CALL_EXPR":
            self._require_plain_call(node)
        elif kind == "UNARY_OPERATOR" and self._text(node).startswith("&"):
            if self._where(node.children[0]) is None:
                raise Stays  # of a thread's own variable
        elif kind == "ARRAY_SUBSCRIPT_EXPR" and not self._is_inside(node):
            self._require_askable(node)
        elif kind in _LOOPS:
            self._require_no_waiting(node)
        if self._is_assignment(node):
            target = _inner(node.children[0])
            while (
                target.kind in ("ARRAY_SUBSCRIPT_EXPR", "MEMBER_REF_EXPR") and target.children
            ):
                target = _inner(target.children[0])
            name = target.cursor.spelling
            if target.kind == "DECL_REF_EXPR" and name not in self._text(node):
                raise Stays  # a macro has written it

    def _require_by_element(self, node: Node) -> None:
        """Raise Stays for a thread's own array that is used as a pointer."""
        if not _is_array(node) or self._is_shared(node):
            return
        around = node.meant()
        is_base = around.kind == "ARRAY_SUBSCRIPT_EXPR" and _inner(around.children[0]) is node
        if not is_base and around.kind != "CXX_UNARY_EXPR":  # sizeof
            raise Stays

    def _require_plain_cast(self, node: Node) -> None:
        """Raise Stays if a cast pointer cannot be asked for its alignment where it is used."""
        pointee = node.cursor.type.get_canonical().get_pointee().kind.name
        if pointee in ("POINTER", "VOID", "FUNCTIONPROTO"):
            raise Stays
        around = node.meant()
        while around.kind == "BINARY_OPERATOR" and _kind(around) == "POINTER":
            around = around.meant()  # plus a number
        is_reached = around.kind == "ARRAY_SUBSCRIPT_EXPR" or (
            around.kind == "UNARY_OPERATOR" and self._text(around).startswith("*")
        )
        if not is_reached and around.kind != "VAR_DECL":
            raise Stays
        self.has_casts = True

    def _require_reached_by_value(self) -> None:
        """Raise Stays if a pointer that may come of a cast is used for more than access."""
        for node in self.kernel.nodes:
            if self._is_by_arrow(node):
                raise Stays
            elif node.kind == "CALL_EXPR":
                if any(
                    _kind(one) in ("POINTER", "AUTO")
                    and one.cursor.spelling != node.cursor.spelling
                    for one in node.children
                ):
                    raise Stays
            elif node.kind == "ARRAY_SUBSCRIPT_EXPR" or (
                node.kind == "UNARY_OPERATOR" and self._text(node).startswith("*")
            ):
                if _kind(_inner(node.children[0])) == "POINTER":
                    self.reached.append(node.children[0])
                elif not _is_array(_inner(node.children[0])):
                    raise Stays  # of a type that a template leaves open

    def _require_plain_variable(self, node: Node) -> None:
        kind = node.cursor.type.get_canonical()
        if kind.kind.name == "POINTER" and kind.get_pointee().kind.name in ("POINTER", "VOID"):
            raise Stays
        if kind.kind.name in ("POINTER", "AUTO") and node.children:
            begins = _inner(node.children[-1])
            if begins.kind in ("DECL_REF_EXPR", "MEMBER_REF_EXPR"):
                if not _is_number(begins) and self._where(begins) is None:
                    raise Stays  # it may be a thread's own array
        while kind.kind.name.endswith("ARRAY"):
            kind = kind.element_type
        declared = kind.get_declaration()
        is_record = node.kind == "VAR_DECL" and kind.kind.name == "RECORD"
        if is_record and node.cursor.spelling not in self.kernel.lambdas:
            if Kernel.is_own_code(declared) and not self.file.is_plain(declared.spelling):
                raise Stays  # its destructor may do something

    def _require_plain_call(self, node: Node) -> None:
        meant = node.cursor.referenced
        if _kind(node) == "POINTER":
            raise Stays
        if self._lambda_of(node) is not None or self._is_lambdas(meant):
            return
        if (
            meant is not None
            and Kernel.is_own_code(meant)
            and not self.file.is_plain_member(meant)
        ):
            own = meant.kind.name in _METHODS or meant.spelling.startswith("operator")
            if own:
                raise Stays

    def _lambda_of(self, call: Node) -> Node | None:
        """Return the lambda that is called, if it is one."""
        if call.cursor.spelling != "operator()":
            return None
        names = (one.cursor.spelling for one in call.all() if one.kind == "DECL_REF_EXPR")
        return next(
            (self.kernel.lambdas[one] for one in names if one in self.kernel.lambdas), None
        )

    @staticmethod
    def _is_lambdas(meant) -> bool:
        """Say whether a function is a lambda's own, such as its copy."""
        of = meant.semantic_parent if meant is not None else None
        return of is not None and (not of.spelling or "lambda" in of.spelling)

    def _require_no_waiting(self, loop: Node) -> None:
        """Raise Stays for a loop in which a thread may wait for what another one does."""
        text = self._text(loop)
        for node in loop.all():
            name = node.cursor.spelling if node.kind == "CALL_EXPR" else ""
            if name.startswith("atomic"):
                is_statement = node.parent.kind in ("COMPOUND_STMT", "IF_STMT", "FOR_STMT")
                if loop.kind != "FOR_STMT" or not is_statement:
                    raise Stays
        if loop.kind == "FOR_STMT":
            parts = loop.children[1:2] if len(loop.children) == 4 else ()
            if len(loop.children) == 3 and loop.children[0].kind == "DECL_STMT":
                parts = [one for one in loop.children[1:2] if not self._is_assignment(one)]
        else:
            parts = loop.children[:1] if loop.kind == "WHILE_STMT" else loop.children[-1:]
        if not parts or not _WORD.search(re.sub(r"\btrue\b", "", self._text(parts[0]))):
            raise Stays
        seen = self.accesses(parts[0])
        if seen.reads or seen.writes or re.search(r"__threadfence|__ld\w+|__nanosleep", text):
            raise Stays

    # ---- indices -----------------------------------------------------------------------------

    def _is_inside(self, node: Node) -> bool:
        """Say whether an element surely lies in its array, if the compiler checks that."""
        base, index = _inner(node.children[0]), node.children[1]
        if _kind(base) == "POINTER" or self._is_shared(base):
            return True  # a guarded mapping
        if not _is_array(base):
            return False  # a template leaves open what it is
        length = re.search(r"\[([^\]]*)\]", base.cursor.type.get_canonical().spelling)
        if not length:
            return False
        number = self.kernel.number(index)
        most = int(length[1]) if length[1].isdigit() else None
        if number is not None:
            return most is not None and number < most
        return self._is_counted(index, length[1], most)

    def _require_askable(self, node: Node) -> None:
        """Raise Stays for an element whose index cannot be asked where it is used."""
        base = _inner(node.children[0])
        if base.kind != "DECL_REF_EXPR" or self._text(node.children[0]) != base.cursor.spelling:
            raise Stays
        if self._text(node) != self.code[base.begin : node.end] or "]" not in self._text(node):
            raise Stays
        self.asked.append(node)

    def _is_counted(self, index: Node, length: str, most: int | None) -> bool:
        """Say whether an index is the variable of a loop that stays below a length."""
        declared = self.kernel.declared(index)
        loop = declared.parent.parent if declared is not None else None
        if loop is None or loop.kind != "FOR_STMT" or declared.parent is not loop.children[0]:
            return False
        if len(loop.children) != 4 or not declared.children:
            return False
        _, condition, step, body = loop.children
        name = declared.cursor.spelling
        if not re.search(r"=\s*\d+\s*$", self._text(declared)):
            return False
        condition = _inner(condition)
        if condition.kind != "BINARY_OPERATOR" or len(condition.children) != 2:
            return False
        left, right = condition.children
        operator = self.code[left.end : right.begin].strip()
        if operator != "<" or self._text(left).strip() != name:
            return False
        if self.kernel.is_altered(name, body.begin, body.end):
            return False
        if not re.fullmatch(
            rf"\+\+\s*{name}|{name}\s*\+\+|{name}\s*\+=\s*\d+", self._text(step).strip()
        ):
            return False
        text = self._text(right).strip()
        if most is None:
            return text == length.strip()
        number = self.kernel.number(right)
        return number is not None and number <= most

    # ---- memory ------------------------------------------------------------------------------

    def _is_shared(self, node: Node) -> bool:
        """Say whether what is named, or an element of it, is a shared array."""
        node = _inner(node)
        while node.kind == "ARRAY_SUBSCRIPT_EXPR" and node.children:
            node = _inner(node.children[0])
        meant = node.cursor.referenced if node.kind == "DECL_REF_EXPR" else None
        return meant is not None and any(
            one.kind.name == "CUDASHARED_ATTR" for one in meant.get_children()
        )

    def _is_by_arrow(self, node: Node) -> bool:
        """Say whether a node is a member of what a pointer points to."""
        if node.kind != "MEMBER_REF_EXPR" or not node.children:
            return False
        return self.code[node.children[0].end : node.end].lstrip().startswith("->")

    def _where(self, node: Node) -> str | None:
        """Return which memory an expression names or points to; None: a thread's own."""
        node = _inner(node)
        while node.kind in _CASTS and node.children:
            node = _inner(node.children[-1])
        kind = node.kind
        if kind in ("ARRAY_SUBSCRIPT_EXPR", "MEMBER_REF_EXPR") and node.children:
            base = _inner(node.children[0])
            is_reached = kind == "ARRAY_SUBSCRIPT_EXPR" or self._is_by_arrow(node)
            if is_reached and _kind(base) != "POINTER" and not _is_array(base):
                return ANYWHERE
            return self._where(base)
        if kind == "UNARY_OPERATOR" and self._text(node)[:1] in ("*", "&"):
            return self._where(node.children[0])
        if kind == "BINARY_OPERATOR" and len(node.children) == 2 and _kind(node) == "POINTER":
            left, right = node.children
            return self._where(
                left if _kind(left) in ("POINTER",) or "ARRAY" in _kind(_inner(left)) else right
            )
        if kind != "DECL_REF_EXPR" or node.cursor.referenced is None:
            return ANYWHERE
        return self._of_name(node)

    def _of_name(self, node: Node) -> str | None:
        name, meant = node.cursor.spelling, node.cursor.referenced
        is_pointer = meant.type.get_canonical().kind.name == "POINTER"
        if meant.kind.name == "PARM_DECL":
            if "&" in meant.type.spelling or (is_pointer and name in self.kernel.changed):
                return ANYWHERE
            if is_pointer:
                return f"{OF}{name}" if name in self.kernel.parameters else ANYWHERE
            return GLOBAL if _kind(node) == "RECORD" else None
        if meant.kind.name != "VAR_DECL":
            return ANYWHERE
        declared = self.kernel.declared(node)
        attributes = {one.kind.name for one in meant.get_children()}
        if "CUDASHARED_ATTR" in attributes:
            is_dynamic = meant.storage_class.name == "EXTERN"
            return DYNAMIC if is_dynamic else name
        if declared is None:
            constant = meant.type.is_const_qualified() or "CUDACONSTANT_ATTR" in attributes
            return None if constant else f"{OF}{name}"
        if "&" in meant.type.spelling:
            return ANYWHERE
        if not is_pointer:
            return None
        if declared.children and not self.kernel.changes(declared):
            return self._where(declared.children[-1])
        return ANYWHERE

    def _is_assignment(self, node: Node) -> bool:
        if node.kind == "COMPOUND_ASSIGNMENT_OPERATOR":
            return True
        if node.kind == "BINARY_OPERATOR" and len(node.children) == 2:
            left, right = node.children
            return self.code[left.end : right.begin].strip() == "="
        if node.kind == "UNARY_OPERATOR" and node.children:
            text = self._text(node).strip()
            return text.startswith(("++", "--")) or text.endswith(("++", "--"))
        return False

    def accesses(self, node: Node) -> Accesses:
        """Return what a statement or an expression reads and writes of shared memory."""
        found = Accesses()
        self._note(node, found, writes=False)
        return found

    def _note(self, node: Node, found: Accesses, writes: bool) -> None:
        kind = node.kind
        if self._is_assignment(node):
            self._note(node.children[0], found, writes=True)
            for one in node.children[1:]:
                self._note(one, found, writes=False)
            return
        if kind == "LAMBDA_EXPR":
            return  # until it is called
        if kind == "CALL_EXPR" and (called := self._lambda_of(node)) is not None:
            for one in (*node.children, *called.children):
                self._note(one, found, writes=False)
            return
        if kind == "CALL_EXPR":
            name = node.cursor.spelling
            changes = name.startswith("operator") and "=" in name
            what = self.file.kind(name) if _WORD.fullmatch(name) else "effects"
            if name == "operator()" and self.file.is_plain_member(node.cursor.referenced):
                what = "pure"
            if what != "pure" and not name.startswith(("atomic", "operator")):
                found.reads.add(ANYWHERE)
                found.writes.add(ANYWHERE)
            is_atomic = name.startswith("atomic")
            for one in node.children:
                if self._text(one).strip() == name:
                    continue  # what is called
                if is_atomic and _kind(one) == "POINTER":
                    self._mark(self._where(one) or ANYWHERE, found, writes=True)
                self._note(one, found, writes=changes or (what != "pure" and not is_atomic))
            return
        if kind == "IF_STMT" and (only := self._only_thread(node.children[0])) is not None:
            condition, then, *other = node.children
            self._note(condition, found, writes=False)
            self.only, before = only, self.only
            self._note(then, found, writes=False)
            self.only = before
            for one in other:
                self._note(one, found, writes=False)
            return
        if kind == "ARRAY_SUBSCRIPT_EXPR":
            own = self._where(node)
            self._mark(own, found, writes, self._is_own(node, own))
            base, index = node.children[0], node.children[1]
            self._note(index, found, writes=False)
            base = _inner(base)
            while base.kind == "ARRAY_SUBSCRIPT_EXPR":  # of the other indices
                self._note(base.children[1], found, writes=False)
                base = _inner(base.children[0])
            return
        if (kind == "UNARY_OPERATOR" and self._text(node).startswith("*")) or self._is_by_arrow(
            node
        ):
            self._mark(self._where(node.children[0]) or ANYWHERE, found, writes)
        elif kind == "DECL_REF_EXPR" and node.cursor.referenced is not None:
            meant = node.cursor.referenced
            if meant.kind.name == "VAR_DECL" and _kind(node) != "POINTER":
                self._mark(self._of_name(node), found, writes)
        for one in node.children:
            self._note(one, found, writes)

    def _only_thread(self, condition: Node) -> int | None:
        """Return which threadIdx.x alone fulfils a condition; None if it says no such thing."""
        node = _inner(condition)
        if node.kind != "BINARY_OPERATOR" or len(node.children) != 2:
            return None
        left, right = node.children
        if self.code[left.end : right.begin].strip() != "==" or not self.kernel.is_thread(left):
            return None
        return self.kernel.number(right)

    def _is_own(self, node: Node, where: str | None) -> bool:
        """Say whether an element of a shared array is that at the thread's threadIdx.x."""
        base, index = _inner(node.children[0]), node.children[1]
        while base.kind == "ARRAY_SUBSCRIPT_EXPR" and "ARRAY" in _kind(base):
            base = _inner(base.children[0])  # of several extents, this is the last index
        if base.kind != "DECL_REF_EXPR" or where not in (base.cursor.spelling, DYNAMIC):
            return False
        if self.kernel.is_thread(_inner(index)):
            return True
        return self.only is not None and self.kernel.number(_inner(index)) == self.only

    def _mark(
        self, where: str | None, found: Accesses, writes: bool, own: bool = False
    ) -> None:
        if where and where != ANYWHERE:
            if own:
                where += OWN
            elif self.only is not None:
                where += of_thread(self.only)
        if where:
            found.reads.add(where)
            if writes:
                found.writes.add(where)

    # ---- what is written otherwise -----------------------------------------------------------

    def edits(self, node: Node) -> Iterator[tuple[int, int, str]]:
        """Yield the replacements in a statement."""
        for one in node.all():
            if one in self.reached:
                yield one.begin, one.begin, "::emulator::aligned("
                yield one.end, one.end, ")"
            if one in self.asked:
                base, index = one.children
                yield index.begin, index.begin, f"::emulator::within({self._text(base)}, "
                yield index.end, index.end, ")"
            elif one.kind == "ARRAY_SUBSCRIPT_EXPR":
                yield from self._widened(one.children[1])
            elif one.kind == "CALL_EXPR" and _ATOMIC.match(one.cursor.spelling):
                yield from self._in_turn(one)

    def _widened(self, index: Node) -> Iterator[tuple[int, int, str]]:
        """Yield what keeps an index from wrapping at 31 bits, which hinders vectors."""
        node = _inner(index)
        if node.kind != "BINARY_OPERATOR" or len(node.children) != 2 or _kind(node) != "INT":
            return
        left, right = node.children
        if self.code[left.end : right.begin].strip() not in ("+", "-"):
            return
        if not (index.begin <= left.begin < left.end < right.begin < right.end <= index.end):
            return
        for one in (left, right):
            inner = _inner(one)
            sums = (
                inner.kind == "BINARY_OPERATOR"
                and len(inner.children) == 2
                and (
                    self.code[inner.children[0].end : inner.children[1].begin].strip()
                    in ("+", "-")
                )
            )
            if sums and _kind(inner) == "INT":
                yield from self._widened(one)
            elif _kind(one) == "INT" and self._text(one).strip():
                yield one.begin, one.begin, "::emulator::wide("
                yield one.end, one.end, ")"

    def _in_turn(self, call: Node) -> Iterator[tuple[int, int, str]]:
        """Yield what makes an atomic on shared memory a plain update by the only thread."""
        name = call.cursor.spelling
        arguments = [one for one in call.children if one.cursor.type.kind.name != "INVALID"]
        if not self.code.startswith(name, call.begin) or len(arguments) < 2:
            return
        address = next(
            (
                one
                for one in call.children
                if _kind(one) == "POINTER" and not self._text(one).strip() == name
            ),
            None,
        )
        where = address and self._where(address)
        if where in (None, ANYWHERE) or is_outside(where):
            return
        of = address.cursor.type.get_canonical().get_pointee().spelling
        if re.fullmatch(r"(?:unsigned )?(?:int|long|long long)|float|double", of):
            yield call.begin, call.begin + len(name), f"::emulator::{name}_in_turn"

    # ---- what is computed again --------------------------------------------------------------

    def is_made_again(self, statement: Node, known: set[str]) -> bool:
        """Say whether a declaration's variables can be computed again wherever they are read.

        known: the names of others of which that is so.
        """
        own: set[str] = set()
        for one in statement.children:
            name = one.cursor.spelling
            if one.kind != "VAR_DECL" or not one.children or self.names.count(name) != 1:
                return False
            if one.cursor.storage_class.name != "NONE" or one.has("CUDASHARED_ATTR"):
                return False
            kind = one.cursor.type.get_canonical()
            if kind.kind.name not in _NUMBERS and kind.kind.name != "POINTER":
                return False
            if one.begin in self.uniform or self.kernel.changes(one):
                return False
            if not self._is_pure(one.children[-1], known | own):
                return False
            own.add(name)
        return True

    def _is_pure(self, node: Node, known: set[str]) -> bool:
        kind, text = node.kind, self._text(node)
        if kind in _LITERALS:
            return True
        if kind in ("MEMBER_REF_EXPR", "CALL_EXPR") or kind in _AROUND:
            if _BUILT_IN.fullmatch(text):
                return True
        if kind == "DECL_REF_EXPR":
            return self._is_pure_name(node, known)
        if kind == "BINARY_OPERATOR" and len(node.children) == 2:
            left, right = node.children
            if self.code[left.end : right.begin].strip() not in _COMPUTED:
                return False
        elif kind == "UNARY_OPERATOR":
            if (
                text[:1] not in "-+!~"
                or text.startswith(("++", "--"))
                or text.endswith(("++", "--"))
            ):
                return False
        elif kind == "CALL_EXPR":
            if node.cursor.spelling not in ("min", "max"):
                return False
            if Kernel.is_own_code(node.cursor.referenced):
                return False
            return all(
                self._is_pure(one, known)
                for one in node.children
                if self._text(one).strip() != node.cursor.spelling
            )
        elif kind not in _AROUND and kind not in _CASTS and kind != "CONDITIONAL_OPERATOR":
            return False
        return bool(node.children) and all(self._is_pure(one, known) for one in node.children)

    def _is_pure_name(self, node: Node, known: set[str]) -> bool:
        name, meant = node.cursor.spelling, node.cursor.referenced
        if name == "warpSize":
            return True
        if meant is None:
            return False
        kind = meant.kind.name
        if kind in ("ENUM_CONSTANT_DECL", "TEMPLATE_NON_TYPE_PARAMETER"):
            return True
        if kind == "PARM_DECL":
            return name not in self.kernel.changed and self.names.count(name) == 1
        if kind != "VAR_DECL":
            return False
        declared = self.kernel.declared(node)
        if declared is None:
            return meant.type.is_const_qualified() and "ARRAY" not in meant.type.kind.name
        if self.names.count(name) != 1:
            return False
        if declared.begin in self.uniform and self.kernel.changes(declared):
            return False
        return name in known or self.kernel.of_variable(declared) >= BLOCK
