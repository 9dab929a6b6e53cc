// The launchers of stub.cu: each notes what it was given, and does nothing else.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

long stub_calls, stub_last[8];
double stub_real;
int stub_error;
const char *stub_fault, *stub_printed;

static void note(long a, long b, long c, long d, long e, long f, long g, double real) {
    const long values[] = {a, b, c, d, e, f, g};
    for (int i = 0; i < 7; ++i) stub_last[i] = values[i];
    stub_real = real;
    ++stub_calls;
}

#define P (long)
void add(void *a, void *b, void *out, int64_t n, int size, void *stream) {
    note(P a, P b, P out, n, size, P stream, 0, 0);
}
void pack(void *a, void *out, int n, float s, void *stream) { note(P a, P out, n, P stream, 0, 0, 0, s); }
void product(void *a, void *b, void *c, int64_t m, int64_t n, int64_t k, int64_t offset, void *stream) {
    note(P a, P b, P c, m, n, k, offset, 0);
}
void split(void *x, void *low, void *high, void *count, int64_t n, double limit, void *stream) {
    note(P x, P low, P high, P count, n, P stream, 0, limit);
}
void blocks(int64_t blocks, int size, void *stream) { note(blocks, size, P stream, 0, 0, 0, 0, 0); }

int cudaGetLastError(void) {
    const int error = stub_error;
    stub_error = 0;
    return error;
}
const char *cudaGetErrorString(int error) { return error == 9 ? "invalid configuration argument" : "other"; }
const char *cudaGetErrorName(int error) { return error == 1 ? "cudaErrorInvalidValue" : "cudaErrorUnknown"; }

struct fault {
    int rule, access;
    unsigned long long address;
    const char *words, *place, *thread;
} given;
struct fault *emulator_take_fault(void) {
    if (!stub_fault) return 0;
    given = (struct fault){0, 0, 0, stub_fault, "", ""};
    stub_fault = 0;
    return &given;
}
const char *emulator_take_printf(void) {
    const char *printed = stub_printed;
    stub_printed = 0;
    return printed;
}
int emulator_has_report(void) { return stub_error || stub_fault || stub_printed; }
const char *emulator_take_refusal(void) { return 0; }
const char *emulator_take_overtaking(void) { return ""; }
void emulator_trim(void) {}
void emulator_add_sparse(void *begin, size_t bytes) {}
void emulator_clear_sparse(void) {}
void emulator_add_device_memory(void *begin, size_t bytes, int writable) {}
void emulator_clear_device_memory(void) {}
void *emulator_last_stream(void) { return 0; }
int64_t emulator_take_blocks_abreast(void) { return 0; }
void emulator_take_largest_launch(int64_t (*its)[6]) { memset(*its, 0, sizeof *its); }
void emulator_set_schedule(int mode, unsigned seed) {}
void emulator_set_shared_front(int front) {}
void emulator_set_garbage(int byte, int behind) {}
void emulator_set_shared_byte(int byte) {}
void emulator_set_grid_turned(int turned) {}
void emulator_set_streams_as_asked(int as_asked) {}
double emulator_set_timeout(double seconds) { return 0; }
int emulator_set_workers(int count) { return 0; }
void emulator_set_card(const void *facts) {}

int stub_fails(void *x, long long n, int error) { return error; }
