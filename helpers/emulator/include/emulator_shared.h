// What a fault says of shared memory: which array, which element, and the line if the compiler knew the array's length.
// Part of the runtime.
#pragma once

#include <string>

#include "emulator_runtime.h"

namespace [[gnu::visibility("hidden")]] emulator {

// A type as an array's element and its extents: 'volatile float [32][33]' gives "float", "[32][33]".
struct ArrayType {
    std::string element, extents;

    explicit ArrayType(std::string text) {
        const auto is_quote = [](char c) { return c == '\''; };
        text.erase(std::remove_if(text.begin(), text.end(), is_quote), text.end());
        for (const std::string word : {"volatile ", "const "}) {
            if (text.compare(0, word.size(), word) == 0) text.erase(0, word.size());
        }
        const size_t bracket = std::min(text.find('['), text.size());
        element = text.substr(0, bracket);
        extents = text.substr(bracket);
    }
    // Whether it is the other one, or one of its rows.
    bool is_part_of(const ArrayType& other) const {
        return !extents.empty() && element == other.element && other.extents.size() >= extents.size() &&
               other.extents.compare(other.extents.size() - extents.size(), extents.size(), extents) == 0;
    }
};

// The type of a shared array, from "... [with T = float [32][33]]" (g++) or "... [T = float[32][33]]" (clang).
inline ArrayType type_of(const SharedSite& site) {
    const std::string all = site.type;
    const size_t begin = all.rfind("T = ") + 4;
    return ArrayType(all.substr(begin, all.size() - begin - 1));
}

inline bool is_shared_type(const ArrayType& type) {
    const auto& sites = shared_sites();
    return std::any_of(sites.begin(), sites.end(), [&](const SharedSite& site) { return type.is_part_of(type_of(site)); });
}

// " (line 7)" if the current thread's last index outside of an array's bounds is what led to the element, else "".
inline std::string line_of_index(const Worker& w, const SharedSite& site, ptrdiff_t element) {
    const LastIndex& last = w.last_index;
    const ArrayType type(last.type);
    if (last.thread != w.current || last.epoch != w.epoch || !type.is_part_of(type_of(site))) return "";
    const ptrdiff_t length = atoll(type.extents.c_str() + 1);
    const ptrdiff_t rows_before = element - static_cast<ptrdiff_t>(last.index);
    const bool whole = type.extents == type_of(site).extents;
    if (type.extents.find('[', 1) != std::string::npos || (whole ? rows_before != 0 : rows_before % length != 0)) return "";
    return " (line " + std::to_string(last.line) + ")";
}

inline ptrdiff_t element_at(ptrdiff_t byte, size_t bytes) {
    const auto size = static_cast<ptrdiff_t>(bytes);
    return byte >= 0 ? byte / size : -((size - 1 - byte) / size);
}

// Whether an address lies in shared memory or in its guards; then `text` says what an access there is.
inline bool describe_shared(const Worker& w, const char* at, const char* access, char* text, size_t size) {
    if (w.dynamic && at >= w.dynamic - kSharedGuard && at < w.shared_end() + kSharedGuard) {
        const ptrdiff_t byte = at - w.shared_begin();
        const size_t element = w.dynamic_element ? w.dynamic_element : 1;
        snprintf(text, size, "%s dynamic shared memory, %s %td of the %zu that the launch gave the block", access,
                 element == 1 ? "byte" : "element", element_at(byte, element), w.launch->shared_bytes / element);
        return true;
    }
    for (size_t i = 0; i < w.slots.size(); ++i) {
        const SharedSite& site = shared_sites()[i];
        const SharedSlot& slot = w.slots[i];
        if (!slot.mapping || at < slot.mapping - kSharedGuard || at >= slot.mapping + whole_pages(site.bytes) + kSharedGuard) continue;
        if (slot.closed) {
            snprintf(text, size, "%s the shared array `%s` of a kernel that has ended: shared memory lasts as long as its block", access,
                     site.name);
            return true;
        }
        const ptrdiff_t element = element_at(at - slot.memory, site.element);
        snprintf(text, size, "%s the shared array `%s`, %s: element %td of its %zu%s", access, site.name,
                 element < 0 ? "before the start" : "past the end", element, site.used / site.element,
                 line_of_index(w, site, element).c_str());
        return true;
    }
    return false;
}

SharedSlot& shared_slot(Worker& w, int& index, const SharedSite& site) {
    const Busy busy(w);
    const std::lock_guard<std::mutex> lock(runtime().mutex);
    if (index < 0) {
        index = static_cast<int>(shared_sites().size());
        shared_sites().reserve(256);
        shared_sites().push_back(site);
    }
    const auto place = static_cast<size_t>(index);
    if (w.slots.size() <= place) w.slots.resize(place + 1);
    return w.slots[place];
}

bool fill_shared(Worker& w, int& index, const SharedSite& site, bool bound) {
    const Busy busy(w);
    SharedSlot& slot = shared_slot(w, index, site);
    if (slot.epoch == w.epoch) return false;
    if (slot.closed) slot.closed = mprotect(slot.mapping, whole_pages(site.bytes), PROT_READ | PROT_WRITE) != 0;
    if (!slot.memory || !bound) slot.place(site.bytes, w.launch->shared_front);
    memset(slot.first_beside(), kPoison, static_cast<size_t>(slot.last_beside(site.bytes) - slot.first_beside()));
    if (w.launch->shared_byte != kPoison) memset(slot.memory, w.launch->shared_byte, site.used);
    emulator_trace_array(site.name, slot.memory, site.used, site.element);
    slot.epoch = w.epoch;
    return true;
}

void begin_shared(Worker& w, int& index, const SharedSite& site, size_t counted) {
    if (!fill_shared(w, index, site, false)) return;  // the caller was interrupted after it had looked, and another thread was here
    w.static_bytes += counted;
    if (w.static_bytes + w.launch->shared_bytes > w.launch->shared_limit) {
        fault({1, Rule::other}, "too much shared memory: %zu bytes of arrays and %zu of the launch are more than %zu a block",
              w.static_bytes, w.launch->shared_bytes, w.launch->shared_limit);
    }
}

// Closes the shared arrays of a kernel that has ended before another one runs, which may have kept an address of them.
inline void Worker::close_shared(const Launch& next) {
    if (next.kernel == last_kernel && next.instance == last_instance) return;
    for (size_t i = 0; i < slots.size(); ++i) {
        SharedSlot& slot = slots[i];
        if (slot.mapping && !slot.closed) slot.closed = !mprotect(slot.mapping, whole_pages(shared_sites()[i].bytes), PROT_NONE);
    }
}

// Looks at the bytes beside the static shared arrays of the block that has ended: all between an array and its
// inaccessible page, the nearest on the other side.
inline void Worker::check_shared_ends() {
    const auto is_written = [](char c) { return static_cast<unsigned char>(c) != kPoison; };
    for (size_t i = 0; i < slots.size(); ++i) {
        const SharedSlot& slot = slots[i];
        if (slot.epoch != epoch) continue;
        const SharedSite& site = shared_sites()[i];
        if (std::any_of(slot.memory + site.used, slot.last_beside(site.bytes), is_written)) {
            fault({700, Rule::shared_out_of_bounds, Access::write}, "a write past the end of the shared array %s (%zu bytes)",
                  site.name, site.used);
        }
        if (std::any_of(slot.first_beside(), slot.memory, is_written)) {
            fault({700, Rule::shared_out_of_bounds, Access::write},
                  "a write before the start of the shared array %s (%zu bytes): an index below 0?", site.name, site.used);
        }
    }
}

}  // namespace emulator
