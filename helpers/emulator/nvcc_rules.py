"""Check rules of nvcc that clang's CUDA front end does not know: sizes, signatures, lambdas.

Each rule is a function of a parsed node (a libclang cursor); it yields where it is broken, and
words. Sources: CUDA C++ Programming Guide, "C++ Language Support", and what nvcc 13.0 said of
tests/emulator/corpus/.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

SHARED_BYTES = 48 << 10  # of static shared memory a block
CONSTANT_BYTES = 64 << 10
PARAMETER_BYTES = 32764  # since CUDA 12.1, on compute capability 7.0 and newer
ASSIGNMENTS = frozenset("= += -= *= /= %= &= |= ^= <<= >>=".split())
FUNCTIONS = frozenset("FUNCTION_DECL CXX_METHOD CONSTRUCTOR FUNCTION_TEMPLATE".split())
CLASSES = frozenset("STRUCT_DECL CLASS_DECL UNION_DECL CLASS_TEMPLATE".split())
LOOPS = frozenset("FOR_STMT WHILE_STMT DO_STMT CXX_FOR_RANGE_STMT".split())
_ATTRIBUTES = frozenset(
    "CUDAGLOBAL_ATTR CUDADEVICE_ATTR CUDAHOST_ATTR CUDASHARED_ATTR CUDACONSTANT_ATTR".split()
)
# The compiler's own functions, which clang lets device code call. nvcc 13.0 has those that its
# math library has, and these; of the others none.
_BUILTIN = re.compile(r"__(?:builtin|sync|atomic)_\w+")
_DEVICE_BUILTIN = re.compile(
    r"__builtin_(?:(?:a?(?:cos|sin|tan)h?|atan2|cbrt|ceil|copysign|erfc?|exp(?:2|10|m1)?|fabs"
    r"|fdim|floor|fma|fmax|fmin|fmod|frexp|huge_val|hypot|ilogb|inf|j[01]|ldexp|lgamma"
    r"|ll?rint|ll?round|log(?:2|10|1p|b)?|modf|nans?|nearbyint|nextafter|powi?|remainder"
    r"|remquo|rint|round|scalbl?n|sqrt|tgamma|trunc|y[01])[fl]?"
    r"|(?:clz|ffs|popcount)(?:ll?)?|(?:ll?)?abs|is(?:nan|inf|finite)|signbit|expect|assume"
    r"|assume_aligned|unreachable|memcpy|memset|malloc|alloca|is_constant_evaluated|bit_cast"
    r"|launder|addressof|LINE|FILE|FUNCTION|va_\w+)"
)
# Such calls are no nodes of a call: clang's tree has an expression of its own for them.
_UNSEEN_CALL = re.compile(r"__atomic_\w+|__builtin_printf")

NARROWING = "-Wc++11-narrowing"  # clang's, of numbers between braces
# To a float of a larger constant; nvcc says nothing of it.
_INFINITE = re.compile(r"evaluates to -?[\d.]+[eE]\+\d+ .* type 'float'")
_NUMBERS = frozenset(
    "BOOL CHAR_U UCHAR CHAR_S SCHAR SHORT USHORT INT UINT LONG ULONG LONGLONG ULONGLONG FLOAT"
    " DOUBLE HALF POINTER ENUM".split()
)

_OF_KERNELS = frozenset({"__launch_bounds__", "__maxnreg__", "__cluster_dims__"})

# CUDA's own atomic functions of a number, by the type of the number.
_ATOMICS = {
    **dict.fromkeys(("Min", "Max"), "int|unsigned int|unsigned long long|long long"),
    **dict.fromkeys(("And", "Or", "Xor"), "int|unsigned int|unsigned long long"),
    **dict.fromkeys(("Inc", "Dec"), "unsigned int"),
    "Add": "int|unsigned int|unsigned long long|float|double",
    "Sub": "int|unsigned int",
    "Exch": "int|unsigned int|unsigned long long|float",
    "CAS": "int|unsigned int|unsigned long long|unsigned short",
}

Broken = tuple[object, str]  # a location and words
_rules: dict[str, list[Callable[..., Iterator[Broken]]]] = {}


def _for(*kinds: str) -> Callable:
    """Register a rule for nodes of these kinds."""

    def register(rule: Callable) -> Callable:
        for kind in kinds:
            _rules.setdefault(kind, []).append(rule)
        return rule

    return register


def broken(unit, files: set[str]) -> Iterator[Broken]:
    """Yield a location and words for each rule that a parsed unit breaks in these files."""
    definitions: dict[str, object] = {}
    constant_bytes = 0
    for node in unit.cursor.get_children():
        if not node.location.file or node.location.file.name not in files:
            continue
        for one in _below(node):
            for rule in _rules.get(one.kind.name, ()):
                yield from rule(one)
            if one.kind.name in FUNCTIONS and one.is_definition():
                if definitions.setdefault(one.get_usr(), one) != one:
                    yield one.location, f"redefinition of '{one.spelling}'"
            if one.kind.name == "VAR_DECL" and "CUDACONSTANT_ATTR" in _spaces(one):
                constant_bytes += max(one.type.get_size(), 0)
                if constant_bytes > CONSTANT_BYTES:
                    words = f"{constant_bytes:,} bytes of __constant__ memory; there are 65,536"
                    yield one.location, words


def uses(unit, files: set[str], names: frozenset[str]) -> Iterator[tuple[object, str]]:
    """Yield a location and the name for each use of these names in these files."""
    for node in unit.cursor.get_children():
        if node.location.file and node.location.file.name in files:
            for one in _below(node):
                if one.kind.name in {"DECL_REF_EXPR", "TYPE_REF"} and one.spelling in names:
                    yield one.location, one.spelling


def is_in_device_code(unit, diagnostic) -> bool:
    """Return whether a diagnostic's place lies in a function of the device.

    For clang's host pass a lambda in a kernel is a host function.
    """
    where, node = diagnostic.location, unit.cursor
    while node is not None:
        if node.kind.name in FUNCTIONS and _runs_on_device(node):
            return True
        node = next((child for child in node.get_children() if _reaches(child, where)), None)
    return False


def is_narrowed(unit, diagnostic) -> bool:
    """Return whether nvcc refuses braces that narrow, as clang has found them.

    It does where they are an argument, are assigned, returned or new; of an object's braces
    also where they stand in an expression, but for the value of a variable; and wherever a
    std::initializer_list is made of them. Of `float{i}`,
    `P p{i, i}`, a returned `{i, i}` and members it only warns, and of types that a template's
    arguments decide it says nothing.
    """
    if _INFINITE.search(diagnostic.spelling) or any(
        note.spelling.startswith("in instantiation of") for note in diagnostic.children
    ):
        return False
    path, node = [], unit.cursor
    while node is not None:
        path.append(node)
        # The last: the name of an operator() reaches over its arguments.
        below = [one for one in node.get_children() if _reaches(one, diagnostic.location)]
        node = below[-1] if below else None
    if _is_constant_number(path[-1]):
        return False
    kinds = [one.kind.name for one in path]
    if "INIT_LIST_EXPR" not in kinds:
        return False  # the argument of a constructor
    inner = outer = len(kinds) - 1 - kinds[::-1].index("INIT_LIST_EXPR")
    while kinds[outer - 1] in {"INIT_LIST_EXPR", "UNEXPOSED_EXPR"}:
        outer -= 1
    around = kinds[outer - 1]
    element = path[inner].type.get_array_element_type()  # of what the list refers to
    if element.get_canonical().kind.name in _NUMBERS and any(map(_is_list, path[outer:inner])):
        return True
    if path[inner].type.get_canonical().kind.name in _NUMBERS and kinds[inner - 1] == around:
        return around in {"CALL_EXPR", "BINARY_OPERATOR", "RETURN_STMT", "CXX_NEW_EXPR"}
    statement = [i for i, kind in enumerate(kinds[:outer]) if kind == "COMPOUND_STMT"]
    own = kinds[max(statement, default=0) : outer]
    if {"VAR_DECL", "FIELD_DECL", "PARM_DECL", "UNEXPOSED_DECL"} & set(own):
        return False  # UNEXPOSED_DECL: auto [x, y] = P{i, i}
    if own[-1] == "CALL_EXPR" and "CONSTRUCTOR" in own:
        return False
    casts = {"CXX_FUNCTIONAL_CAST_EXPR", "CALL_EXPR", "BINARY_OPERATOR", "CXX_NEW_EXPR"}
    return around in casts


def _is_list(node) -> bool:
    return node.type.get_canonical().spelling.startswith("std::initializer_list<")


def _is_constant_number(node) -> bool:
    """Return whether a node names a constant whose number nvcc, unlike C++, takes for known."""
    named = node.referenced if node.kind.name == "DECL_REF_EXPR" else None
    if named is None or named.kind.name != "VAR_DECL" or not named.type.is_const_qualified():
        return False
    return any(kind.endswith("_LITERAL") for kind in _kinds(named))


def _reaches(node, where) -> bool:
    """Return whether a location lies in a node's text."""
    begin, end = node.extent.start, node.extent.end
    return (
        begin.file is not None
        and begin.file.name == where.file.name
        and begin.offset <= where.offset <= end.offset
    )


def _below(node) -> Iterator:
    """Yield a node and all nodes below it, but nothing of what other files declare."""
    yield node
    for child in node.get_children():
        yield from _below(child)


def _spaces(node) -> set[str]:
    """Return the CUDA attributes of a declaration, such as "CUDAGLOBAL_ATTR"."""
    return {child.kind.name for child in node.get_children()} & _ATTRIBUTES


def _is_call(node) -> bool:
    return node.kind.name == "CALL_EXPR"


def _names(node) -> set[str]:
    """Return the spellings of a node's children: of the annotations, too."""
    return {child.spelling for child in node.get_children()}


def _words(node) -> list[str]:
    return [token.spelling for token in node.get_tokens()]


def _head(node) -> list[str]:
    """Return the words of a declaration before its body."""
    words = _words(node)
    return words[: words.index("{")] if "{" in words else words


def _specifiers(node) -> list[str]:
    """Return the words before a function's name, of which the first may be macros."""
    name = node.location
    before = name.from_offset(node.translation_unit, name.file, max(0, name.offset - 200))
    reach = type(node.extent).from_locations(before, name)
    words = [token.spelling for token in node.translation_unit.get_tokens(extent=reach)]
    ends = [place for place, word in enumerate(words[:-1]) if word in {";", "{", "}"}]
    return words[ends[-1] + 1 :] if ends else words


def _is_kernel(node) -> bool:
    return "CUDAGLOBAL_ATTR" in _spaces(node)


def _runs_on_device(node) -> bool:
    return bool(_spaces(node) & {"CUDAGLOBAL_ATTR", "CUDADEVICE_ATTR"})


# ---- kernels' declarations ------------------------------------------------------------------


@_for(*FUNCTIONS)
def _kernel_signature(node) -> Iterator[Broken]:
    annotations = _names(node) & _OF_KERNELS
    if not _is_kernel(node):
        for one in sorted(annotations):
            yield node.location, f"{one} on a function that is not a kernel"
        return
    if annotations >= {"__launch_bounds__", "__maxnreg__"}:
        yield node.location, "__launch_bounds__ and __maxnreg__ on the same kernel"
    yield from _numbers_of_kernel(node, annotations)
    name, head = node.spelling, _head(node)
    if node.exception_specification_kind.name not in {"NONE", "UNEVALUATED", "UNINSTANTIATED"}:
        yield node.location, f"kernel '{name}' has an exception specification (noexcept)"
    if node.kind.name == "CXX_METHOD":
        yield (
            node.location,
            f"kernel '{name}' is a member function; a kernel is a free function",
        )
    if name.startswith("operator"):
        yield node.location, f"kernel '{name}' is an operator"
    if "constexpr" in head or "consteval" in head:
        yield node.location, f"kernel '{name}' is constexpr"
    if node.result_type.kind.name == "AUTO":
        yield node.location, f"kernel '{name}' must return void, and says auto"
    if node.type.kind.name == "FUNCTIONPROTO" and node.type.is_function_variadic():
        yield node.location, f"kernel '{name}' has an ellipsis (...)"


@_for("FUNCTION_DECL")
def _own_atomic(node) -> Iterator[Broken]:
    """Yield a function that CUDA has already: old code adds atomicAdd of double so."""
    known = _ATOMICS.get(node.spelling.removeprefix("atomic"), "").split("|")
    given = [one.type.get_canonical().spelling for one in node.get_arguments()]
    is_global = node.semantic_parent.kind.name == "TRANSLATION_UNIT"
    if is_global and len(given) == 2 + (node.spelling == "atomicCAS") and given[1] in known:
        if given[0] == f"{given[1]} *" and node.is_definition():
            yield node.location, f"CUDA has {node.spelling} of {given[1]} already"


def _numbers_of_kernel(node, annotations: set[str]) -> Iterator[Broken]:
    """Yield __cluster_dims__ and __maxnreg__ with a written number below 1."""
    words = _specifiers(node) if annotations - {"__launch_bounds__"} else []
    for name in sorted(annotations - {"__launch_bounds__"} & {*words}):
        inside = words[words.index(name) + 1 :]
        inside = inside[: inside.index(")")] if ")" in inside else []
        if "0" in inside or "-" in inside:
            yield node.location, f"{name} with a number that is not positive"


@_for(*FUNCTIONS)
def _attribute_behind_the_parameters(node) -> Iterator[Broken]:
    """Yield attributes that a definition has between its parameters and its body."""
    if not node.is_definition():
        return
    for child in node.get_children():
        if child.kind.name in {"ANNOTATE_ATTR", "UNEXPOSED_ATTR"}:
            place = child.extent.start
            if place.file and place.file.name == node.location.file.name:
                if place.offset > node.location.offset and _word_at(node, place)[:2] == "__":
                    word = _word_at(node, place)
                    yield place, f"{word} behind the parameters of a function's definition"
                    return


def _word_at(node, place) -> str:
    """Return the word that stands at a place of a node's file."""
    ends = [
        place.from_offset(node.translation_unit, place.file, offset)
        for offset in (place.offset, place.offset + 1)
    ]
    reach = type(node.extent).from_locations(*ends)
    return next((one.spelling for one in node.translation_unit.get_tokens(extent=reach)), "")


def _kinds(node) -> list[str]:
    return [child.kind.name for child in node.get_children()]


def _is_unused_template(node) -> bool:
    """Return whether a file names a function template once only: nvcc then never makes it."""
    unit = node.translation_unit
    names = (one.spelling for one in unit.get_tokens(extent=unit.cursor.extent))
    template = node.kind.name == "FUNCTION_TEMPLATE"
    return template and sum(name == node.spelling for name in names) == 1


@_for(*FUNCTIONS)
def _kernel_parameters(node) -> Iterator[Broken]:
    if not _is_kernel(node):
        for child in node.get_children():
            if child.kind.name == "PARM_DECL" and "__grid_constant__" in _names(child):
                words = f"__grid_constant__ parameter '{child.spelling}' of no kernel"
                yield child.location, words
        return
    total, packs = 0, 0
    for child in node.get_children():
        if child.kind.name == "PARM_DECL":
            total += max(child.type.get_size(), 0)
            if child.type.kind.name == "RVALUEREFERENCE":
                yield child.location, f"parameter '{child.spelling}' is an rvalue reference"
            elif child.type.kind.name == "LVALUEREFERENCE" and not _is_unused_template(node):
                words = f"parameter '{child.spelling}' of a kernel is a reference"
                yield child.location, words
            if node.kind.name == "FUNCTION_DECL" and _is_member_pointer(child):
                words = f"parameter '{child.spelling}' of a kernel is a pointer to a member"
                yield child.location, words
            if re.match(r"(?:const )?std::initializer_list<", child.type.spelling):
                words = f"parameter '{child.spelling}' of a kernel is a std::initializer_list"
                yield child.location, words
            annotated = "__grid_constant__" in _words(child) or "ANNOTATE_ATTR" in _kinds(child)
            if annotated and not child.type.is_const_qualified():
                yield (
                    child.location,
                    f"__grid_constant__ parameter '{child.spelling}' is not const",
                )
        elif child.kind.name == "TEMPLATE_NON_TYPE_PARAMETER" and _is_member_pointer(child):
            words = (
                f"template parameter '{child.spelling}' of a kernel is a pointer to a member"
            )
            yield child.location, words
        elif child.kind.name == "TEMPLATE_TYPE_PARAMETER":
            packs += "..." in _words(child)
    if total > PARAMETER_BYTES:
        yield (
            node.location,
            f"{total:,} bytes of kernel parameters; there are {PARAMETER_BYTES:,}",
        )
    if packs > 1:
        yield node.location, f"kernel '{node.spelling}' has more than one parameter pack"


def _is_member_pointer(parameter) -> bool:
    """Return whether a parameter's type is one for which nvcc's host code does not compile."""
    return parameter.type.get_canonical().kind.name == "MEMBERPOINTER"


@_for("FRIEND_DECL")
def _friend_kernel(node) -> Iterator[Broken]:
    for child in node.get_children():
        if child.kind.name in FUNCTIONS and _is_kernel(child) and child.is_definition():
            yield (
                child.location,
                f"kernel '{child.spelling}' is defined in a friend declaration",
            )


# ---- memory ---------------------------------------------------------------------------------


@_for(*FUNCTIONS)
def _static_shared(node) -> Iterator[Broken]:
    total = 0
    for child in _below(node):
        if child.kind.name == "VAR_DECL" and "CUDASHARED_ATTR" in _spaces(child):
            total += max(child.type.get_size(), 0)
            if total > SHARED_BYTES:
                words = f"{total:,} bytes of static shared memory; a block has 49,152 (48 KB)"
                yield child.location, words
                return


@_for("VAR_DECL")
def _variables(node) -> Iterator[Broken]:
    spaces = _spaces(node)
    if "CUDASHARED_ATTR" in spaces and node.semantic_parent.kind.name in CLASSES:
        yield node.location, f"__shared__ variable '{node.spelling}' is a static member"
    name, parent = node.spelling, node.semantic_parent.kind.name
    if spaces & {"CUDADEVICE_ATTR", "CUDACONSTANT_ATTR"}:
        if parent in CLASSES:
            yield (
                node.location,
                f"__device__ or __constant__ variable '{name}' is a static member",
            )
        elif node.linkage.name == "EXTERNAL" and "inline" in _specifiers(node):
            space = "__device__" if "CUDADEVICE_ATTR" in spaces else "__constant__"
            yield node.location, f"{space} variable '{name}' is inline"
    if "__managed__" in _names(node):
        if spaces & {"CUDACONSTANT_ATTR", "CUDASHARED_ATTR"}:
            yield node.location, f"__managed__ variable '{name}' is __constant__ or __shared__"
        if node.type.is_const_qualified():
            yield node.location, f"__managed__ variable '{name}' is const"
    elif spaces & {"CUDADEVICE_ATTR", "CUDACONSTANT_ATTR"} and _lacks_a_value(node):
        yield (
            node.location,
            f"no default constructor for '{name}', of which nvcc makes a copy for the host",
        )
    if spaces and node.storage_class.name == "STATIC" and parent in FUNCTIONS:
        if not any(map(_runs_on_device, _parents(node))):
            yield node.location, f"static variable '{name}' of the device in a host function"


def _parents(node) -> Iterator:
    """Yield the functions and classes around a declaration, from the inside out."""
    while (node := node.semantic_parent) is not None:
        yield node


def _lacks_a_value(variable) -> bool:
    """Return whether a variable's class can be made only from arguments."""
    held = variable.type
    while held.kind.name in {"CONSTANTARRAY", "INCOMPLETEARRAY"}:
        held = held.element_type
    if variable.type.is_const_qualified() or held.is_const_qualified():
        return False
    declared = held.get_canonical().get_declaration()
    made = [one for one in declared.get_children() if one.kind.name == "CONSTRUCTOR"]
    return bool(made) and not any(one.is_default_constructor() for one in made)


@_for(*FUNCTIONS)
def _shared_constructor(node) -> Iterator[Broken]:
    """Yield shared variables whose class has a constructor, though it is an empty one."""
    for one in _below(node) if _runs_on_device(node) else ():
        if one.kind.name == "VAR_DECL" and "CUDASHARED_ATTR" in _spaces(one):
            if one.storage_class.name != "EXTERN" and _is_constructed(one.type, one):
                yield (
                    one.location,
                    "a __shared__ variable cannot be initialised: "
                    "no constructor or value is run",
                )


def _is_constructed(held, variable) -> bool:
    """Return whether a type of the variable's file, or a member, has a constructor."""
    while held.kind.name == "CONSTANTARRAY":
        held = held.element_type
    declared = held.get_canonical().get_declaration()
    where, own = declared.location.file, variable.location.file
    if declared.kind.name not in CLASSES or not where or where.name != own.name:
        return False
    for one in declared.get_children():
        if one.kind.name == "CONSTRUCTOR" and one.is_default_constructor():
            if not one.is_default_method() and "constexpr" not in _words(one):
                return True
        if one.kind.name == "FIELD_DECL" and _is_constructed(one.type, variable):
            return True
    return False


@_for("BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR")
def _constant_is_written(node) -> Iterator[Broken]:
    """Yield assignments to a whole variable; of one to a part nvcc only warns."""
    sides = list(node.get_children())
    target = _named(sides[0]) if len(sides) == 2 else None
    # The operator last: to find it costs milliseconds where a macro stands before it.
    if (
        target is not None
        and "CUDACONSTANT_ATTR" in _spaces(target)
        and _operator(node, sides[0]) in ASSIGNMENTS
    ):
        yield node.location, f"assignment to __constant__ variable '{target.spelling}'"


@_for("UNARY_OPERATOR")
def _constant_is_counted(node) -> Iterator[Broken]:
    """Yield ++ and -- of a __constant__ variable; of an element nvcc only warns."""
    inner = next(node.get_children(), None)
    target = (
        inner.referenced if inner is not None and inner.kind.name == "DECL_REF_EXPR" else None
    )
    if target is not None and "CUDACONSTANT_ATTR" in _spaces(target):
        if {"++", "--"} & {*_words(node)}:
            yield node.location, f"assignment to __constant__ variable '{target.spelling}'"


def _operator(node, left) -> str:
    """Return the operator behind the left side of a binary expression."""
    for token in node.get_tokens():
        if token.extent.start.offset >= left.extent.end.offset:
            return token.spelling
    return ""


def _named(node):
    """Return the variable that a name stands for, also in brackets; None if it is no name."""
    while node.kind.name == "PAREN_EXPR":
        node = next(node.get_children())
    return node.referenced if node.kind.name == "DECL_REF_EXPR" else None


def _root(node):
    """Return the variable behind x, x[i], x.member; None if there is another base."""
    while node.kind.name in {
        "UNEXPOSED_EXPR",
        "ARRAY_SUBSCRIPT_EXPR",
        "MEMBER_REF_EXPR",
        "PAREN_EXPR",
    }:
        inner = next(node.get_children(), None)
        if inner is not None and inner.type.kind.name == "POINTER":
            inner = next(inner.get_children(), None)  # an array, where x[i] makes it a pointer
            if inner is None or inner.type.kind.name != "CONSTANTARRAY":
                return None
        if inner is None:
            return None
        node = inner
    return node.referenced if node.kind.name == "DECL_REF_EXPR" else None


# ---- what device code cannot do -------------------------------------------------------------


@_for(*FUNCTIONS)
def _device_code(node) -> Iterator[Broken]:
    if not _runs_on_device(node):
        return
    if "CUDAHOST_ATTR" not in _spaces(node):
        for body in node.get_children():  # the function's own words may begin in a macro
            for token in body.get_tokens() if body.kind.name == "COMPOUND_STMT" else ():
                if _UNSEEN_CALL.fullmatch(token.spelling):
                    words = f"call to __host__ function '{token.spelling}' from device code"
                    yield token.location, words
    for one, above in _with_ancestors(node, ()):
        kind = one.kind.name
        if kind == "CXX_DYNAMIC_CAST_EXPR":
            yield one.location, "dynamic_cast in device code"
        elif kind == "VAR_DECL":
            yield from _local_variable(one)
        elif kind == "ARRAY_SUBSCRIPT_EXPR":
            yield from _host_array(one, above)
        elif kind == "DECL_REF_EXPR":
            yield from _host_address(one, above)
            yield from _undefined_variable(one)
        elif kind == "CALL_EXPR":
            yield from _undefined(one)
            if "CUDAHOST_ATTR" not in _spaces(node):
                yield from _host_builtin(one)
                yield from _never_normal(one)
                yield from _constant_by_reference(one)


def _host_array(node, above: tuple) -> Iterator[Broken]:
    """Yield an element of a constant host array that only a run, or its address, can give."""
    base, index = [*node.get_children(), None, None][:2]
    target = _root(base) if base is not None and index is not None else None
    if target is None or target.kind.name != "VAR_DECL" or _spaces(target):
        return
    if target.storage_class.name == "EXTERN":  # dynamic shared memory with a length
        return
    scope = target.semantic_parent.kind.name
    at_file_scope = scope in {"TRANSLATION_UNIT", "NAMESPACE"}
    by_run = any(map(_is_variable, _below(index)))
    # Of a class's arrays nvcc puts in whole numbers, and what a template's argument chooses.
    is_real = node.type.get_canonical().kind.name in {"FLOAT", "DOUBLE"}
    chosen = any(one.kind.name == "DECL_REF_EXPR" for one in _below(index))
    by_address = at_file_scope or (scope in CLASSES and is_real and not chosen)
    if (by_run and (at_file_scope or scope in CLASSES)) or (
        by_address and not any(map(_is_computed, above))
    ):
        yield (
            node.location,
            f"reference to __host__ variable '{target.spelling}' in device code",
        )


def _is_computed(node) -> bool:
    """Return whether the compiler may compute what stands below a node, or only look at it.

    Of a `case`, an array and an `if constexpr` that is one part only: the others are let pass.
    """
    kind = node.kind.name
    if kind == "VAR_DECL":
        return "constexpr" in _words(node) or node.type.kind.name == "CONSTANTARRAY"
    if kind == "IF_STMT":
        return _words(node)[1:2] == ["constexpr"]
    # A template's arguments stand below its name.
    return kind in {"CXX_UNARY_EXPR", "STATIC_ASSERT", "CASE_STMT", "DECL_REF_EXPR"}


def _host_address(node, above: tuple) -> Iterator[Broken]:
    """Yield a host constant of which device code takes the address: p = array, r = number."""
    target = node.referenced
    if target is None or not _is_host_constant(target) or not above:
        return
    is_array = target.type.get_canonical().kind.name == "CONSTANTARRAY"
    decays = is_array and above[-1].type.kind.name == "POINTER"
    users = (one for one in reversed(above) if not _passes_on(one))
    user = next(users, None)
    if user is None or any(map(_is_computed, above)):
        return
    kind = user.kind.name
    if (
        (kind == "VAR_DECL" and (decays or user.type.kind.name == "LVALUEREFERENCE"))
        or (kind == "CXX_FOR_RANGE_STMT" and is_array)
        or (kind == "CALL_EXPR" and _calls_by_address(user, node, decays))
    ):
        words = f"reference to __host__ variable '{target.spelling}' in device code"
        yield node.location, words


def _passes_on(node) -> bool:
    """Return whether a node only converts what is below it, or names a method of it."""
    if node.kind.name == "MEMBER_REF_EXPR":
        return node.referenced is not None and node.referenced.kind.name == "CXX_METHOD"
    return node.kind.name == "UNEXPOSED_EXPR"


def _calls_by_address(call, constant, decays: bool) -> bool:
    """Return whether a call needs the address of a constant, as its argument or its object."""
    called = call.referenced
    if called is None or called.kind.name not in FUNCTIONS - {"FUNCTION_TEMPLATE"}:
        return False
    if called.kind.name == "CONSTRUCTOR" and called.is_copy_constructor():
        return False  # of a plain object it copies the numbers
    by_run = any(map(_is_variable, _below(call)))
    if not by_run and "constexpr" in _specifiers(called):
        return False  # the compiler computes it
    own = called.location.file and called.location.file.name == call.location.file.name
    if called.kind.name == "CXX_METHOD":
        first = next(call.get_children(), None)
        return first is not None and any(_is_same(one, constant) for one in _below(first))
    wanted = zip(call.get_arguments(), called.type.argument_types(), strict=False)
    by_reference = any(
        _is_same(given, constant) and parameter.kind.name == "LVALUEREFERENCE"
        for given, parameter in wanted
    )
    known = by_run and called.kind.name != "CONSTRUCTOR"  # to `_constant_by_reference`
    return decays or bool(own and by_reference and not known)


def _is_same(node, other) -> bool:
    """Return whether two nodes are one: reached as a child and as an argument, == says no."""
    return node.kind == other.kind and node.location == other.location


def _undefined(node) -> Iterator[Broken]:
    called = node.referenced
    if called is None or called.kind.name != "FUNCTION_DECL" or called.get_definition():
        return
    # A function of the runtime or of the C library is defined elsewhere.
    if called.location.file and called.location.file.name == node.location.file.name:
        if "CUDADEVICE_ATTR" in _spaces(called) and called.get_num_template_arguments() < 0:
            yield node.location, f"__device__ function '{called.spelling}' is nowhere defined"


def _local_variable(node) -> Iterator[Broken]:
    """Yield local variables of device code that only host code can have."""
    if node.tls_kind.name != "NONE":
        yield node.location, f"thread_local variable '{node.spelling}' in device code"
    elif node.type.kind.name == "CONSTANTARRAY" and node.type.element_count == 0:
        yield node.location, f"array '{node.spelling}' has no elements, in device code"
    elif node.storage_class.name == "STATIC" and "CUDASHARED_ATTR" not in _spaces(node):
        if "constexpr" not in _words(node) and any(map(_is_variable, _below(node))):
            words = (
                "dynamic initialization is not supported for a static variable in device code"
            )
            yield node.location, words


def _undefined_variable(node) -> Iterator[Broken]:
    """Yield an extern array of the device without a length that no line of the file defines.

    All other extern variables nvcc makes definitions (its warning 20044).
    """
    target = node.referenced
    if target is None or target.kind.name != "VAR_DECL" or target.get_definition():
        return
    if target.type.kind.name != "INCOMPLETEARRAY":
        return
    if _spaces(target) & {"CUDADEVICE_ATTR", "CUDACONSTANT_ATTR"}:
        if target.location.file and target.location.file.name == node.location.file.name:
            yield node.location, f"extern variable '{target.spelling}' is nowhere defined"


def _host_builtin(node) -> Iterator[Broken]:
    """Yield a call of a function of the compiler that nvcc has for host code only."""
    name = node.spelling
    if not _BUILTIN.fullmatch(name) or _DEVICE_BUILTIN.fullmatch(name):
        return
    if not _is_of_constants(node):
        yield node.location, f"call to __host__ function '{name}' from device code"


def _is_of_constants(call) -> bool:
    """Test whether a call has arguments, all of constants: the compiler computes it."""
    inputs = [one.kind.name for child in call.get_arguments() for one in _below(child)]
    return bool(inputs) and not {"DECL_REF_EXPR", "CALL_EXPR"} & set(inputs)


def _never_normal(node) -> Iterator[Broken]:
    """Yield isnormal of a variable: nvcc 13.0 takes it, and an H200 gave 0 of any number."""
    if node.spelling == "isnormal" and not _is_of_constants(node):
        yield node.location, "isnormal of a variable, which is 0 of any number on a GPU"


def _constant_by_reference(node) -> Iterator[Broken]:
    """Yield constants of the host that a call takes by reference: std::min(i, kLimit).

    Their values are known in device code, their addresses are not. What the compiler computes,
    such as std::size(kTable), needs none.
    """
    called = node.referenced
    if called is None or called.kind.name not in {"FUNCTION_DECL", "CXX_METHOD"}:
        return
    given = list(node.get_arguments())
    wanted = list(called.type.argument_types())
    constants = [
        one.referenced
        for one, parameter in zip(given, wanted, strict=False)
        if parameter.kind.name == "LVALUEREFERENCE" and one.kind.name == "DECL_REF_EXPR"
    ]
    constants = [one for one in constants if one and _is_host_constant(one)]
    by_run = any(map(_is_variable, (one for arg in given for one in _below(arg))))
    has_array = any(one.type.kind.name == "CONSTANTARRAY" for one in constants)
    if has_array:
        by_run |= called.result_type.kind.name == "POINTER"
        by_run |= "constexpr" not in _specifiers(called)
    if constants and by_run:
        words = f"reference to __host__ variable '{constants[0].spelling}' in device code"
        taken = "" if has_array else ", which a function takes by reference"
        yield node.location, words + taken


def _is_host_constant(variable) -> bool:
    if variable.kind.name != "VAR_DECL" or variable.semantic_parent is None:
        return False
    scope = variable.semantic_parent.kind.name
    return (
        (scope in {"TRANSLATION_UNIT", "NAMESPACE"} or scope in CLASSES)
        and (_held(variable).is_const_qualified() or variable.type.is_const_qualified())
        and not _spaces(variable)
    )


def _is_variable(node) -> bool:
    """Return whether an expression names what only a run knows."""
    named = node.referenced if node.kind.name == "DECL_REF_EXPR" else None
    if named is None or named.kind.name not in {"PARM_DECL", "VAR_DECL"}:
        return False
    if not (named.type.is_const_qualified() or _held(named).is_const_qualified()):
        return True
    return not _is_host_constant(named) and "constexpr" not in _words(named)


def _held(variable):
    """Return the type of a variable, or of an array's elements."""
    held = variable.type
    while held.kind.name == "CONSTANTARRAY":
        held = held.element_type
    return held


# ---- lambdas and local types ----------------------------------------------------------------


@_for("LAMBDA_EXPR")
def _extended_lambda(node) -> Iterator[Broken]:
    spaces = {"__device__", "__host__"} & set(_head(node))
    if spaces:
        yield node.location, f"{spaces.pop()} on a lambda needs nvcc's --extended-lambda"
    words = _words(node)
    captures = words[: words.index("]")] if "]" in words else []
    if captures[:2] == ["[", "="] and captures[-2:] == [",", "this"]:
        yield node.location, "[=, this] is C++20: in C++17 [=] captures this, too"


def _kernels_types(node) -> list:
    """Return the types of a call that become a kernel's template arguments.

    CUB's functions for the whole GPU make kernels of what they are given, and so do Thrust's
    algorithms there.
    """
    called = node.referenced
    if called is None:
        return []
    if called.kind.name == "FUNCTION_DECL" and _is_kernel(called):
        count = max(called.get_num_template_arguments(), 0)
        return [called.get_template_argument_type(i) for i in range(count)]
    owner, given = called.semantic_parent, [one.type for one in node.get_arguments()]
    if owner.spelling == "thrust" and given[:1]:
        return given if given[0].get_declaration().spelling == "Policy" else []
    of_cub = called.kind.name == "CXX_METHOD" and owner.spelling.startswith("Device")
    if not of_cub or owner.semantic_parent.spelling != "cub":
        return []
    return given


@_for("CALL_EXPR")
def _local_type(node) -> Iterator[Broken]:
    for type_ in _kernels_types(node):
        declared = type_.get_declaration()
        parent = declared.semantic_parent
        if parent is not None and declared.access_specifier.name in {"PRIVATE", "PROTECTED"}:
            words = "is private in its class and cannot be a kernel's template argument"
            yield node.location, f"the type '{declared.spelling}' {words}"
        if parent is not None and parent.kind.name in FUNCTIONS:
            words = "is local to host code and cannot be a kernel's template argument"
            local = declared.spelling
            what = f"'{local}'" if local.isidentifier() else "of a lambda"
            yield node.location, f"the type {what} {words}"


@_for("CALL_EXPR")
def _launched_object(node) -> Iterator[Broken]:
    """Yield a launch of an object that can be called, such as a std::function."""
    if node.spelling != "operator()" or node.referenced is None:
        return
    called = next(node.get_children(), None)
    if called is not None and "<<<" in _words(node):
        words = _words(node)[len(_words(called)) :]
        if words[:1] == ["<<<"]:
            yield node.location, "a host function call cannot be configured: this is no kernel"


@_for("CALL_EXPR")
def _undefined_kernel(node) -> Iterator[Broken]:
    called = node.referenced
    if called is None or called.kind.name != "FUNCTION_DECL" or not _is_kernel(called):
        return
    if called.get_num_template_arguments() < 0 and not called.get_definition():
        yield node.location, f"kernel '{called.spelling}' is nowhere defined"


# ---- warnings that the course refuses -------------------------------------------------------


@_for(*FUNCTIONS)
def _array_never_set(node) -> Iterator[Broken]:
    """Yield local arrays that are read before anything could set them: nvcc's warning 549.

    And pointers that a call is given: clang passes over those to const.
    """
    arrays = {}
    for one, above in _with_ancestors(node, ()):
        kind = one.kind.name
        if kind == "VAR_DECL" and one.type.kind.name == "CONSTANTARRAY" and _is_plain(one):
            arrays[one.hash] = one
        elif kind == "VAR_DECL" and one.type.kind.name == "POINTER" and _is_plain(one):
            if not any(child.kind.is_expression() for child in one.get_children()):
                arrays[one.hash] = one
        elif kind == "DECL_REF_EXPR" and one.referenced and one.referenced.hash in arrays:
            variable = arrays.pop(one.referenced.hash)
            in_loop = any(node.kind.name in LOOPS for node in above)
            is_pointer = variable.type.kind.name == "POINTER"
            if (_is_passed if is_pointer else _is_read)(above) and not in_loop:
                yield one.location, f"variable '{variable.spelling}' is used before it is set"


_TAKES_SYMBOL = re.compile(r"cuda(?!ConfigureCall)")  # between <<< and >>>


@_for("FUNCTION_DECL", "CXX_METHOD")
def _host_uses_device_variable(node) -> Iterator[Broken]:
    if _runs_on_device(node):
        return
    for one, above in _with_ancestors(node, ()):
        target = one.referenced if one.kind.name == "DECL_REF_EXPR" and above else None
        if target is None or target.kind.name != "VAR_DECL" or "__managed__" in _names(target):
            continue
        if any(_TAKES_SYMBOL.match(call.spelling) for call in above if _is_call(call)):
            continue  # cudaMemcpyFromSymbol(to, symbol, bytes) takes the variable itself
        space = _spaces(target) & {"CUDADEVICE_ATTR", "CUDACONSTANT_ATTR"}
        if not space:
            continue
        element, parent = _of_an_element(one, above)
        written = parent is not None and (
            parent.kind.name == "COMPOUND_ASSIGNMENT_OPERATOR"
            or (
                parent.kind.name == "BINARY_OPERATOR"
                and _is_same(next(parent.get_children()), element)
            )
        )
        read = (
            parent is not None
            and parent.kind.name == "UNEXPOSED_EXPR"
            and element.type.kind.name != "CONSTANTARRAY"
        )
        if space and (written or read):
            verb = "written" if written else "read"
            yield (
                one.location,
                f"a __device__ variable, '{target.spelling}', is {verb} by host code",
            )


def _of_an_element(node, above: tuple) -> tuple:
    """Return the x, x[i] or x.member that names a variable, and what is around it."""
    for one in reversed(above):
        kind = one.kind.name
        decays = kind == "UNEXPOSED_EXPR" and one.type.kind.name == "POINTER"
        if kind in {"ARRAY_SUBSCRIPT_EXPR", "MEMBER_REF_EXPR", "PAREN_EXPR"} or (
            decays and node.type.kind.name == "CONSTANTARRAY"
        ):
            if kind == "ARRAY_SUBSCRIPT_EXPR" and not _is_base(one, node):
                return node, one
            node = one
        else:
            return node, None if node.kind.name == "UNEXPOSED_EXPR" else one
    return node, None


def _is_base(subscript, node) -> bool:
    """Return whether a node is the array of x[i], and not its index."""
    first = next(subscript.get_children(), None)
    return first is not None and any(_is_same(one, node) for one in _below(first))


def _is_plain(variable) -> bool:
    """Return whether a local variable has neither a value, a space nor a class's elements."""
    if _spaces(variable) or variable.storage_class.name == "STATIC":
        return False
    element = variable.type
    while element.kind.name == "CONSTANTARRAY":
        element = element.element_type
    words = _words(variable)
    if {"INIT_LIST_EXPR", "STRING_LITERAL"} & {*_kinds(variable)}:
        return False  # its words may begin in a macro
    return element.get_canonical().kind.name != "RECORD" and not {"=", "{"} & set(words)


def _with_ancestors(node, above: tuple) -> Iterator[tuple]:
    yield node, above
    for child in node.get_children():
        yield from _with_ancestors(child, (*above, node))


def _is_passed(above: tuple) -> bool:
    """Return whether a pointer's value is an argument of a call."""
    casts = 0
    for node in reversed(above):
        if node.kind.name != "UNEXPOSED_EXPR":
            return bool(casts) and _is_call(node)
        casts += node.type.kind.name == "POINTER"
    return False


def _is_read(above: tuple) -> bool:
    """Return whether t in t[i], or t[i][j], is read: an implicit conversion to a value."""
    subscripts = 0
    for node in reversed(above):
        kind = node.kind.name
        if kind == "ARRAY_SUBSCRIPT_EXPR":
            subscripts += 1
        elif kind != "UNEXPOSED_EXPR":
            return False
        elif subscripts and node.type.kind.name != "POINTER":
            return True
    return False
