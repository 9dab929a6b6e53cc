// What the last launch left: an error, a fault's text, printed lines.
#pragma once

#ifndef EMULATOR_RUNTIME_APART  // kernels do without: their templates would be made anew with each
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <string>
#endif

#include "emulator_error_numbers.h"

namespace [[gnu::visibility("hidden")]] emulator {

// Which rule a kernel broke, and how memory was accessed. runtime.py lists both in the same order.
enum class Rule : int {
    other,
    out_of_bounds,
    misaligned,
    shared_out_of_bounds,
    timeout,
    barrier,
    warp,
    assertion,
    trap,
    stack_overflow,
    arithmetic,
    exception,
    host,
};
enum class Access : int { unknown,
                          read,
                          write };

// Why a launch ends: a CUDA error and the rule; for memory also the access, its address, and the part of the
// sentence that stands for the address, so that a tensor's element can take its place.
struct Cause {
    int error;
    Rule rule;
    Access access = Access::unknown;
    const void* address = nullptr;
    const char* place = "";
};

cudaError_t set_error(int error);
// Refuses a launch: CUDA's error number, and a sentence.
void refuse(int error, const char* format, ...) __attribute__((format(printf, 2, 3)));

}  // namespace emulator

#define EMULATOR_EXPORT extern "C" inline __attribute__((visibility("default"), used))

extern "C" {
__attribute__((visibility("default"))) cudaError_t cudaGetLastError();
__attribute__((visibility("default"))) cudaError_t cudaPeekAtLastError();
__attribute__((visibility("default"))) const char* cudaGetErrorString(cudaError_t error);
__attribute__((visibility("default"))) const char* cudaGetErrorName(cudaError_t error);
}

#ifndef EMULATOR_RUNTIME_APART
namespace [[gnu::visibility("hidden")]] emulator {

struct Fault {
    Cause cause{0, Rule::other};
    std::string words, place, thread;
};

struct Refusal {
    std::string words, side;  // side: "grid.x" and the like, if a size of the grid or the block is the reason
    unsigned size = 0;        // of that side
};

struct Report {
    std::mutex mutex;
    int error = 0;
    int last_error = 0;  // also after cudaGetLastError has cleared `error`, until the next launcher
    Fault fault, returned_fault;
    std::string printed, returned_print;
    Refusal refusal, returned_refusal;  // why the last launch was refused

    bool has_fault() const { return !fault.words.empty(); }
    void set_fault(const Cause& cause, const std::string& thread, const std::string& words) {
        error = last_error = cause.error;
        fault.cause = {cause.error, cause.rule, cause.access, cause.address};  // `place` lives no longer
        fault.place = cause.place;
        fault.thread = thread;
        fault.words = words;
    }
};
inline Report& report() {
    static Report* one = new Report;  // never destroyed: a library may be closed while Python still ends
    return *one;
}
cudaError_t set_error(int error) {
    if (error) report().error = report().last_error = error;
    return static_cast<cudaError_t>(error);
}

void refuse(int error, const char* format, ...) {
    char words[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    Report& r = report();
    const std::lock_guard<std::mutex> lock(r.mutex);
    if (r.refusal.words.empty()) r.refusal = {words, "", 0};
    set_error(error);
}

}  // namespace emulator

EMULATOR_EXPORT cudaError_t cudaGetLastError() {
    const int error = emulator::report().error;
    emulator::report().error = 0;
    return static_cast<cudaError_t>(error);
}
EMULATOR_EXPORT cudaError_t cudaPeekAtLastError() { return static_cast<cudaError_t>(emulator::report().error); }
EMULATOR_EXPORT const char* cudaGetErrorString(cudaError_t error) {
    switch (static_cast<int>(error)) {
#define EMULATOR_CASE(number, name, words) \
    case number: return words;
        EMULATOR_ERRORS(EMULATOR_CASE)
#undef EMULATOR_CASE
        default: return "unrecognized error code";
    }
}
EMULATOR_EXPORT const char* cudaGetErrorName(cudaError_t error) {
    switch (static_cast<int>(error)) {
#define EMULATOR_CASE(number, name, words) \
    case number: return #name;
        EMULATOR_ERRORS(EMULATOR_CASE)
#undef EMULATOR_CASE
        default: return "unrecognized error code";
    }
}

// A fault as runtime.py reads it. The strings live until the next call.
struct EmulatorFault {
    int rule, access;
    unsigned long long address;
    const char *words, *place, *thread;
};
// The last launch's fault, or NULL. Reading clears it.
EMULATOR_EXPORT const EmulatorFault* emulator_take_fault() {
    static EmulatorFault given;
    emulator::Report& r = emulator::report();
    const std::lock_guard<std::mutex> lock(r.mutex);
    if (!r.has_fault()) return nullptr;
    emulator::Fault& fault = r.returned_fault = r.fault;
    r.fault = emulator::Fault{};
    given = {static_cast<int>(fault.cause.rule), static_cast<int>(fault.cause.access),
             reinterpret_cast<unsigned long long>(fault.cause.address),
             fault.words.c_str(), fault.place.c_str(), fault.thread.c_str()};
    return &given;
}
// A refusal as runtime.py reads it. The strings live until the next call.
struct EmulatorRefusal {
    const char *words, *side;
    unsigned size;
};
// Why the last launch was refused, or NULL. Reading clears it.
EMULATOR_EXPORT const EmulatorRefusal* emulator_take_refusal() {
    static EmulatorRefusal given;
    emulator::Report& r = emulator::report();
    const std::lock_guard<std::mutex> lock(r.mutex);
    if (r.refusal.words.empty()) return nullptr;
    emulator::Refusal& refusal = r.returned_refusal = r.refusal;
    r.refusal = emulator::Refusal{};
    given = {refusal.words.c_str(), refusal.side.c_str(), refusal.size};
    return &given;
}
// Whether the last launch left an error, a fault or printed lines. Reading clears nothing.
EMULATOR_EXPORT int emulator_has_report() {
    emulator::Report& r = emulator::report();
    const std::lock_guard<std::mutex> lock(r.mutex);
    return r.error || r.has_fault() || !r.printed.empty();
}
// What kernels have printed, or NULL. Reading clears it; the pointer lives until the next call.
EMULATOR_EXPORT const char* emulator_take_printf() {
    emulator::Report& r = emulator::report();
    const std::lock_guard<std::mutex> lock(r.mutex);
    r.returned_print.swap(r.printed);
    r.printed.clear();
    return r.returned_print.empty() ? nullptr : r.returned_print.c_str();
}
#endif
