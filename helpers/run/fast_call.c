// Checks and calls a launcher whose tensors all have one shape [n], without Python's overhead.
//
// `bind_launcher` returns a Python function that takes the launcher's arguments. If every check
// of helpers/run/launcher.py holds, the function launches and returns the backend's status: 0,
// or another number if there is something to report; a negative one is an error that the
// launcher itself has returned. Otherwise it does nothing and returns None; launcher.py then repeats the checks and raises the error.
//
// A tensor is read through DLPack's C exchange API, which PyTorch offers from 2.10 on: a stable
// C interface, so no header of PyTorch is needed and one build serves every version.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if !defined(__linux__) || !(defined(__x86_64__) || defined(__aarch64__))
#error "launch() below relies on the calling convention of Linux on x86-64 and AArch64"
#endif

// ---- DLPack 1.x: https://dmlc.github.io/dlpack/latest/c_api.html ----------------------------

enum { kCpu = 1, kCuda = 2 };

typedef struct {
    int32_t type, id;
} Device;

typedef struct {
    uint8_t code, bits;
    uint16_t lanes;
} DataType;

typedef struct {
    void* data;
    Device device;
    int32_t ndim;
    DataType dtype;
    int64_t *shape, *strides;  // strides in elements
    uint64_t byte_offset;
} Tensor;

typedef struct {
    struct {
        uint32_t major, minor;
    } version;
    void* previous;
    void* unused[3];                                // functions that make and keep tensors
    int (*read_tensor)(void* object, Tensor* out);  // 0, or -1 with a Python exception set
    int (*current_stream)(int32_t device_type, int32_t device_id, void** out);
} ExchangeApi;

// ---- what is known of a launcher ------------------------------------------------------------

enum { kMaxWords = 12, kMaxReals = 8, kMaxParameters = kMaxWords + kMaxReals, kMaxPairs = 64 };
enum { kSize = -1, kStream = -2 };  // where a C parameter is filled in, not passed

typedef struct {
    PyObject* name;         // interned
    PyObject* fallback;     // the default, or NULL
    int kind;               // 't'ensor, 'i'nteger, 'f'loat or 'd'ouble
    DataType dtype;         // of a tensor
    long long multiple;     // what a tensor's address is a multiple of, in bytes
    long long least, most;  // of an integer
    double largest;         // of a float or a double
} Argument;

typedef struct {
    const ExchangeApi* api;
    PyObject *api_owner, *tensor_type;
    void* entry;
    int (*status)(void);
    int (*current_device)(int*);  // of the CUDA runtime; NULL on the emulator
    int32_t device_type;
    int64_t most_elements;
    int returns_error;  // whether what the entry returns is an error code
    int arguments, parameters, pairs;
    Argument argument[kMaxParameters];
    int parameter[kMaxParameters];  // for each C parameter: its argument, kSize or kStream
    int pair[kMaxPairs][2];         // arguments that must not overlap
} Launcher;

// The values of one call.
typedef struct {
    PyObject* object[kMaxParameters];
    Tensor tensor[kMaxParameters];
    char* address[kMaxParameters];
    long long integer[kMaxParameters];
    double real[kMaxParameters];
    int64_t elements;     // the size n
    const Tensor* first;  // whose shape the others must have; NULL before it
    int32_t device;       // the current one of the CUDA runtime, 0 on the emulator
} Call;

static PyObject *kRequiresGrad, *kIsNeg;  // attribute names

// ---- the checks: each returns 1 if the call is valid so far ---------------------------------

static int bind(const Launcher* launcher, Call* call, PyObject* const* given, Py_ssize_t count,
                PyObject* names) {
    if (count > launcher->arguments) return 0;
    for (int i = 0; i < launcher->arguments; ++i) {
        call->object[i] = i < count ? given[i] : launcher->argument[i].fallback;
    }
    const Py_ssize_t keywords = names ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t k = 0; k < keywords; ++k) {
        int place = (int)count;  // one that a position has filled may not be named too
        PyObject* name = PyTuple_GET_ITEM(names, k);
        while (place < launcher->arguments && launcher->argument[place].name != name) ++place;
        if (place == launcher->arguments) return 0;
        call->object[place] = given[count + k];
    }
    for (int i = 0; i < launcher->arguments; ++i) {
        if (!call->object[i]) return 0;
    }
    return 1;
}

static int is_false(PyObject* answer) {  // takes the reference
    const int answer_is_false = answer == Py_False;
    if (!answer) PyErr_Clear();
    Py_XDECREF(answer);
    return answer_is_false;
}

static int is_contiguous(const Tensor* x, int64_t* elements) {
    int64_t count = 1;
    for (int d = x->ndim - 1; d >= 0; --d) {
        if (x->shape[d] != 1 && x->strides[d] != count) return 0;
        count *= x->shape[d];
    }
    *elements = count;
    return 1;
}

static int same_dtype(DataType a, DataType b) {
    return a.code == b.code && a.bits == b.bits && a.lanes == 1;
}

static int same_shape(const Tensor* a, const Tensor* b) {
    return a->ndim == b->ndim &&
           !memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape);
}

static int check_tensor(const Launcher* launcher, Call* call, int place) {
    const Argument* wanted = &launcher->argument[place];
    PyObject* object = call->object[place];
    Tensor* x = &call->tensor[place];
    if ((PyObject*)Py_TYPE(object) != launcher->tensor_type) return 0;
    if (launcher->api->read_tensor(object, x)) {  // it has no memory of its own
        PyErr_Clear();
        return 0;
    }
    if (!same_dtype(x->dtype, wanted->dtype)) return 0;
    if (x->device.type != launcher->device_type || x->device.id != call->device) return 0;
    if (!is_contiguous(x, &call->elements)) return 0;
    if (call->elements < 1 || call->elements > launcher->most_elements) return 0;
    if (call->first && !same_shape(x, call->first)) return 0;
    call->first = x;
    char* address = call->address[place] = (char*)x->data + x->byte_offset;
    if (!address || (uintptr_t)address % (uintptr_t)wanted->multiple) return 0;
    return is_false(PyObject_GetAttr(object, kRequiresGrad)) &&
           is_false(PyObject_CallMethodNoArgs(object, kIsNeg));
}

static int check_scalar(const Launcher* launcher, Call* call, int place) {
    const Argument* wanted = &launcher->argument[place];
    PyObject* object = call->object[place];
    if (wanted->kind == 'i') {
        int overflow = 0;
        if (!PyLong_CheckExact(object)) return 0;
        const long long value = call->integer[place] =
            PyLong_AsLongLongAndOverflow(object, &overflow);
        return !overflow && wanted->least <= value && value <= wanted->most;
    }
    if (!PyFloat_CheckExact(object)) return 0;
    const double value = call->real[place] = PyFloat_AS_DOUBLE(object);
    return -wanted->largest <= value && value <= wanted->largest;
}

static int outputs_overlap(const Launcher* launcher, const Call* call) {
    for (int k = 0; k < launcher->pairs; ++k) {
        const int i = launcher->pair[k][0], j = launcher->pair[k][1];
        const char *a = call->address[i], *b = call->address[j];
        const int64_t a_bytes = call->elements * (launcher->argument[i].dtype.bits / 8);
        const int64_t b_bytes = call->elements * (launcher->argument[j].dtype.bits / 8);
        if (a < b + b_bytes && b < a + a_bytes) return 1;
    }
    return 0;
}

static int check(const Launcher* launcher, Call* call) {
    call->first = NULL;
    call->device = 0;
    if (launcher->current_device && launcher->current_device(&call->device)) return 0;
    for (int i = 0; i < launcher->arguments; ++i) {
        const int right = launcher->argument[i].kind == 't' ? check_tensor(launcher, call, i)
                                                            : check_scalar(launcher, call, i);
        if (!right) return 0;
    }
    return !outputs_overlap(launcher, call);
}

// ---- the launch -----------------------------------------------------------------------------

// Calls the entry with its parameters sorted into words (pointers, integers) and reals. This is
// not portable C: on x86-64 (System V) and AArch64 the two kinds are passed in registers of
// their own, in order; words beyond the 6th or 8th go to the stack in order, 8 bytes each; at
// most 8 reals need no stack; what a function does not take, it does not read; and a float is
// the low half of a double's register. What a function that returns nothing leaves is no error.
static int launch(void* entry, const int64_t* w, const double* r) {
    typedef int Entry(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                      int64_t, int64_t, int64_t, int64_t, double, double, double, double,
                      double, double, double, double);
    return ((Entry*)entry)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10],
                           w[11], r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]);
}

static double low_half(float value) {
    double real = 0;
    memcpy(&real, &value, sizeof value);  // both machines are little-endian
    return real;
}

static int run(const Launcher* launcher, const Call* call, void* stream) {
    int64_t words[kMaxWords] = {0};
    double reals[kMaxReals] = {0};
    int word = 0, real = 0;
    for (int k = 0; k < launcher->parameters; ++k) {
        const int place = launcher->parameter[k];
        const int kind = place < 0 ? 0 : launcher->argument[place].kind;
        if (kind == 'f') reals[real++] = low_half((float)call->real[place]);
        else if (kind == 'd') reals[real++] = call->real[place];
        else if (kind == 'i') words[word++] = call->integer[place];
        else if (kind == 't') words[word++] = (int64_t)call->address[place];
        else words[word++] = place == kSize ? call->elements : (int64_t)stream;
    }
    int status;
    Py_BEGIN_ALLOW_THREADS;
    const int returned = launch(launcher->entry, words, reals);
    status = launcher->returns_error && returned ? -returned : launcher->status();
    Py_END_ALLOW_THREADS;
    return status;
}

static const char kCapsule[] = "elementwise.launcher";

static PyObject* call_launcher(PyObject* self, PyObject* const* given, Py_ssize_t count,
                               PyObject* names) {
    const Launcher* launcher = PyCapsule_GetPointer(self, kCapsule);
    Call call;
    void* stream = NULL;
    if (!launcher) return NULL;
    if (!bind(launcher, &call, given, count, names) || !check(launcher, &call)) Py_RETURN_NONE;
    if (launcher->current_device &&
        launcher->api->current_stream(kCuda, call.device, &stream)) {
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    return PyLong_FromLong(run(launcher, &call, stream));
}

// ---- making one -----------------------------------------------------------------------------

static void forget(PyObject* capsule) {
    Launcher* launcher = PyCapsule_GetPointer(capsule, kCapsule);
    for (int i = 0; i < launcher->arguments; ++i) {
        Py_XDECREF(launcher->argument[i].name);
        Py_XDECREF(launcher->argument[i].fallback);
    }
    Py_XDECREF(launcher->api_owner);
    Py_XDECREF(launcher->tensor_type);
    PyMem_Free(launcher);
}

// Reads (name, kind, default, code, bits, multiple, least, most, largest); what a kind does not
// need is 0.
static int read_argument(PyObject* tuple, Argument* out) {
    PyObject *name, *fallback;
    if (!PyArg_ParseTuple(tuple, "UCObbLLLd", &name, &out->kind, &fallback, &out->dtype.code,
                          &out->dtype.bits, &out->multiple, &out->least, &out->most,
                          &out->largest)) {
        return 0;
    }
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    out->name = name;
    if (fallback != Py_None) {
        Py_INCREF(fallback);
        out->fallback = fallback;
    }
    return 1;
}

static int read_launcher(Launcher* out, PyObject* arguments, PyObject* parameters,
                         PyObject* pairs) {
    const Py_ssize_t count = PyTuple_GET_SIZE(arguments);
    const Py_ssize_t entries = PyTuple_GET_SIZE(parameters);
    const Py_ssize_t pair_count = PyTuple_GET_SIZE(pairs);
    int words = 0, reals = 0;
    if (count > kMaxParameters || entries > kMaxParameters) goto too_many;
    if (pair_count > kMaxPairs) goto too_many;
    for (; out->arguments < count; ++out->arguments) {
        Argument* argument = &out->argument[out->arguments];
        if (!read_argument(PyTuple_GET_ITEM(arguments, out->arguments), argument)) return 0;
    }
    for (; out->parameters < entries; ++out->parameters) {
        const int place = (int)PyLong_AsLong(PyTuple_GET_ITEM(parameters, out->parameters));
        const int kind = place < 0 ? 'i' : out->argument[place].kind;
        kind == 'f' || kind == 'd' ? ++reals : ++words;
        out->parameter[out->parameters] = place;
    }
    if (words > kMaxWords || reals > kMaxReals) goto too_many;
    for (; out->pairs < pair_count; ++out->pairs) {
        int* pair = out->pair[out->pairs];
        PyObject* places = PyTuple_GET_ITEM(pairs, out->pairs);
        if (!PyArg_ParseTuple(places, "ii", &pair[0], &pair[1])) return 0;
    }
    return !PyErr_Occurred();
too_many:
    PyErr_SetString(PyExc_ValueError, "the launcher has too many parameters");
    return 0;
}

static PyMethodDef kCall = {
    "launch", (PyCFunction)(void (*)(void))call_launcher, METH_FASTCALL | METH_KEYWORDS,
    "Check the arguments, launch, and return the status; None if a check failed."};

static PyObject* bind_launcher(PyObject* module, PyObject* args) {
    (void)module;
    PyObject *api, *tensor_type, *arguments, *parameters, *pairs;
    unsigned long long entry, status, current_device;
    long long most_elements;
    int returns_error;
    if (!PyArg_ParseTuple(args, "OOKKKLpO!O!O!", &api, &tensor_type, &entry, &status,
                          &current_device, &most_elements, &returns_error, &PyTuple_Type,
                          &arguments, &PyTuple_Type, &parameters, &PyTuple_Type, &pairs)) {
        return NULL;
    }
    const ExchangeApi* functions = PyCapsule_GetPointer(api, "dlpack_exchange_api");
    if (!functions) return NULL;
    if (functions->version.major != 1 || !functions->read_tensor ||
        !functions->current_stream) {
        PyErr_SetString(PyExc_ValueError, "an unknown version of DLPack's exchange API");
        return NULL;
    }
    Launcher* launcher = PyMem_Calloc(1, sizeof *launcher);
    if (!launcher) return PyErr_NoMemory();
    PyObject* capsule = PyCapsule_New(launcher, kCapsule, forget);
    if (!capsule) {
        PyMem_Free(launcher);
        return NULL;
    }
    launcher->api = functions;
    launcher->entry = (void*)(uintptr_t)entry;
    launcher->status = (int (*)(void))(uintptr_t)status;
    launcher->current_device = (int (*)(int*))(uintptr_t)current_device;
    launcher->device_type = current_device ? kCuda : kCpu;
    launcher->most_elements = most_elements;
    launcher->returns_error = returns_error;
    Py_INCREF(api);
    launcher->api_owner = api;
    Py_INCREF(tensor_type);
    launcher->tensor_type = tensor_type;
    PyObject* function = NULL;
    if (read_launcher(launcher, arguments, parameters, pairs))
        function = PyCFunction_New(&kCall, capsule);
    Py_DECREF(capsule);
    return function;
}

static PyMethodDef kFunctions[] = {
    {"bind_launcher", bind_launcher, METH_VARARGS, "Return a function that calls a launcher."},
    {0}};
static struct PyModuleDef kModule = {
    PyModuleDef_HEAD_INIT, "fast_call", NULL, -1, kFunctions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_fast_call(void) {
    kRequiresGrad = PyUnicode_InternFromString("requires_grad");
    kIsNeg = PyUnicode_InternFromString("is_neg");
    return kRequiresGrad && kIsNeg ? PyModule_Create(&kModule) : NULL;
}
