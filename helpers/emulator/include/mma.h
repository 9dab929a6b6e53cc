// The emulator's <mma.h>: the warp's matrix product D = A B + C of half, bfloat16, tf32 or byte factors.
//
// Which element lies in which place of which lane's fragment is not specified, and here it is other than on any GPU:
// the same operation on all elements x[i] of a fragment is right, more is not. Sums are rounded once, so that results
// may differ from a GPU's in the last bits. There are no other types (int8, tf32, double) and no sparse products.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace [[gnu::visibility("hidden")]] nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major,
                mem_col_major };
namespace precision {
struct tf32;
}

__host__ __device__ inline float __float_to_tf32(float value) { return __uint_as_float((__float_as_uint(value) + 0x1000u) & 0xffffe000u); }

template <typename Use, int m, int n, int k>
struct Shape {
    static constexpr int kRows = std::is_same<Use, matrix_b>::value ? k : m;
    static constexpr int kColumns = std::is_same<Use, matrix_a>::value ? k : n;
    static constexpr int kEach = kRows * kColumns / 32;  // elements of a lane
};
// A GPU holds every element of a half factor as often as fills 16 places.
template <typename Use, int m, int n, int k, typename T>
constexpr int kPlaces = std::is_same<T, __half>::value && !std::is_same<Use, accumulator>::value ? 16 : Shape<Use, m, n, k>::kEach;

template <typename T, typename... Others>
constexpr bool kIsOneOf = (std::is_same<T, Others>::value || ...);
template <typename T>
constexpr bool kIsByte = kIsOneOf<T, signed char, unsigned char>;
template <typename Use, typename T>
constexpr bool kKnownType = std::is_same<Use, accumulator>::value ? kIsOneOf<T, __half, float, int>
                                                                  : kIsByte<T> || kIsOneOf<T, __half, __nv_bfloat16, precision::tf32>;
// What a fragment holds.
template <typename T>
using ElementOf = std::conditional_t<std::is_same<T, precision::tf32>::value, float, T>;

template <typename T, int kSize>
struct __frag_base {
    using element_type = T;
    using storage_element_type = T;
    enum { num_elements = kSize,
           num_storage_elements = kSize };
    T x[kSize];
};

template <typename Use, int m, int n, int k, typename T, typename Layout = void>
class fragment : public __frag_base<ElementOf<T>, kPlaces<Use, m, n, k, T>> {
    static_assert(kKnownType<Use, T>, "the CPU emulator's wmma multiplies half, __nv_bfloat16, tf32 or bytes and adds in half, float or int");
    static constexpr bool kIsTf32 = std::is_same<T, precision::tf32>::value;
    static_assert((k == 8 && m == 16 && n == 16 && (kIsTf32 || std::is_same<T, float>::value)) ||
                      (k == 16 && !kIsTf32 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32))),
                  "the CPU emulator's wmma multiplies tiles of 16x16x16, 32x8x16 and 8x32x16, and of tf32 16x16x8");
    static_assert(std::is_same<Use, accumulator>::value == std::is_same<Layout, void>::value,
                  "a fragment of matrix_a or matrix_b names row_major or col_major, an accumulator does not");
};

#if defined(__CUDA__)  // the front end needs declarations only
template <typename T, int kSize>
__device__ void fill_fragment(__frag_base<T, kSize>& f, const typename FrontEndSame<T>::Type& value);
template <typename Use, int m, int n, int k, typename T, typename Layout>
__device__ void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& f, const ElementOf<T>* p, unsigned ldm);
template <int m, int n, int k, typename T>
__device__ void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* p, unsigned ldm, layout_t layout);
template <int m, int n, int k, typename T>
__device__ void store_matrix_sync(T* p, const fragment<accumulator, m, n, k, T>& f, unsigned ldm, layout_t layout);
template <int m, int n, int k, typename D, typename T, typename LayoutA, typename LayoutB, typename C>
__device__ void mma_sync(fragment<accumulator, m, n, k, D>& d, const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                         const fragment<matrix_b, m, n, k, T, LayoutB>& b, const fragment<accumulator, m, n, k, C>& c);
#else

// ---- all lanes meet -------------------------------------------------------------------------------------------------

inline void all_lanes(const char* name, uint64_t same, int line) {
    int all = 0;
    const unsigned met = __match_all_sync(0xffffffffu, same ^ static_cast<uint64_t>(line) << 32, &all, line);
    if (met == 0xffffffffu) return;
    if (met || __popc(__ballot_sync(0xffffffffu, 1, line)) < 32) {
        emulator::fault({719, emulator::Rule::warp}, "%s (line %d) needs all 32 lanes of its warp, and some have left the kernel or do not exist", name, line);
    }
    emulator::fault({719, emulator::Rule::warp}, "%s (line %d) needs all 32 lanes of its warp at this line, with the same address and ldm", name, line);
}
template <typename T>
void check_matrix(const char* name, const T* p, unsigned ldm, int line) {
    all_lanes(name, reinterpret_cast<uint64_t>(p) ^ static_cast<uint64_t>(ldm) << 48, line);
    if (reinterpret_cast<uint64_t>(p) % 16) {
        emulator::fault({716, emulator::Rule::misaligned}, "%s (line %d): the matrix must begin at a multiple of 16 bytes (CUDA asks for 32)", name, line);
    }
    if (ldm * sizeof(T) % 16) {
        emulator::fault({716, emulator::Rule::misaligned}, "%s (line %d): ldm is %u, and must be a multiple of %zu (16 bytes)", name, line, ldm,
                        16 / sizeof(T));
    }
}

// ---- fragments ------------------------------------------------------------------------------------------------------

template <typename T, int kSize>
void fill_fragment(__frag_base<T, kSize>& f, const emulator::Given<T>& value) {
    for (T& x : f.x) x = value;
}

// The element of a tile in a lane's place.
inline int element(int place) { return place * 32 + emulator::lane_id(); }

template <typename Use, int m, int n, int k, typename T, typename Layout>
inline void load_tile(fragment<Use, m, n, k, T, Layout>& f, const ElementOf<T>* p, unsigned ldm, bool by_row) {
    using Tile = Shape<Use, m, n, k>;
    for (int i = 0; i < Tile::kEach; ++i) {
        const unsigned row = static_cast<unsigned>(element(i)) / Tile::kColumns, column = static_cast<unsigned>(element(i)) % Tile::kColumns;
        f.x[i] = p[by_row ? row * ldm + column : column * ldm + row];
    }
    for (int i = Tile::kEach; i < f.num_elements; ++i) f.x[i] = f.x[i % Tile::kEach];
}
template <typename Use, int m, int n, int k, typename T, typename Layout>
inline void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& f, const ElementOf<T>* p, unsigned ldm, EMULATOR_LINE) {
    static_assert(!std::is_same<Use, accumulator>::value, "an accumulator is loaded with a layout: mem_row_major or mem_col_major");
    check_matrix("load_matrix_sync", p, ldm, line);
    load_tile(f, p, ldm, std::is_same<Layout, row_major>::value);
}
template <int m, int n, int k, typename T>
inline void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* p, unsigned ldm, layout_t layout, EMULATOR_LINE) {
    check_matrix("load_matrix_sync", p, ldm, line);
    load_tile(f, p, ldm, layout == mem_row_major);
}
template <int m, int n, int k, typename T>
inline void store_matrix_sync(T* p, const fragment<accumulator, m, n, k, T>& f, unsigned ldm, layout_t layout, EMULATOR_LINE) {
    using Tile = Shape<accumulator, m, n, k>;
    check_matrix("store_matrix_sync", p, ldm, line);
    for (int i = 0; i < Tile::kEach; ++i) {
        const unsigned row = static_cast<unsigned>(element(i)) / Tile::kColumns, column = static_cast<unsigned>(element(i)) % Tile::kColumns;
        p[layout == mem_row_major ? row * ldm + column : column * ldm + row] = f.x[i];
    }
}

// ---- the product ----------------------------------------------------------------------------------------------------

// The factors of one warp's product, which all of its lanes read. There are two, as the first lane may come to the next
// product before the last one has read this one's; it comes to the one after that when all have.
struct Factors {
    float a[2][512], b[2][512];
    uint64_t epoch[32];  // the block in which a lane was here last
    unsigned products[32];
};
EMULATOR_UNTRACED inline Factors& factors() {
    static thread_local Factors* of_warps = nullptr;
    // Not malloc, whose memory in a kernel is the kernel's, and ends with a fault.
    if (!of_warps) of_warps = static_cast<Factors*>(memset(::operator new(32 * sizeof(Factors)), 0, 32 * sizeof(Factors)));
    return of_warps[emulator::self->current / 32];
}
template <typename T>
EMULATOR_UNTRACED void widen(const ElementOf<T>* x, int count, float* to) {
    for (int i = 0; i < count; ++i) {
        if constexpr (kIsByte<T>) {
            to[element(i)] = x[i];
        } else if constexpr (std::is_same<T, precision::tf32>::value) {
            to[element(i)] = emulator::bits_of<float>(emulator::bits_of<uint32_t>(x[i]) & 0xffffe000u);
        } else {
            uint16_t bits;
            memcpy(&bits, static_cast<const void*>(x + i), sizeof bits);
            to[element(i)] = std::is_same<T, __half>::value ? emulator::float_of_half(bits) : emulator::float_of_bfloat(bits);
        }
    }
}
EMULATOR_UNTRACED inline double dot(const float* row, const float* column, int count, int columns, double sum) {
    for (int i = 0; i < count; ++i) sum += static_cast<double>(row[i]) * static_cast<double>(column[i * columns]);
    return sum;
}
EMULATOR_UNTRACED inline unsigned next_product(Factors& of_warp) {
    const int lane = emulator::lane_id();
    if (of_warp.epoch[lane] != emulator::self->epoch) of_warp.products[lane] = 0;
    of_warp.epoch[lane] = emulator::self->epoch;
    return of_warp.products[lane]++ % 2;
}

inline double to_double(int value) { return value; }
inline double to_double(float value) { return static_cast<double>(value); }
inline double to_double(__half value) { return static_cast<double>(__half2float(value)); }
template <int m, int n, int k, typename D, typename T, typename LayoutA, typename LayoutB, typename C>
inline void mma_sync(fragment<accumulator, m, n, k, D>& d, const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                     const fragment<matrix_b, m, n, k, T, LayoutB>& b, const fragment<accumulator, m, n, k, C>& c, EMULATOR_LINE) {
    constexpr bool kInInt = std::is_same<C, int>::value && std::is_same<D, int>::value;
    constexpr bool kInFloat = std::is_same<C, float>::value && std::is_same<D, float>::value;
    static_assert(kIsByte<T> ? kInInt : kInFloat || (std::is_same<T, __half>::value && kIsOneOf<C, __half, float> && kIsOneOf<D, __half, float>),
                  "products of bytes are added in int, those of __nv_bfloat16 and tf32 in float");
    Factors& of_warp = factors();
    const unsigned which = next_product(of_warp);
    widen<T>(a.x, Shape<matrix_a, m, n, k>::kEach, of_warp.a[which]);
    widen<T>(b.x, Shape<matrix_b, m, n, k>::kEach, of_warp.b[which]);
    all_lanes("mma_sync", 0, line);
    for (int i = 0; i < Shape<accumulator, m, n, k>::kEach; ++i) {
        const int row = element(i) / n, column = element(i) % n;
        d.x[i] = static_cast<D>(dot(of_warp.a[which] + row * k, of_warp.b[which] + column, k, n, to_double(c.x[i])));
    }
}
#endif

}  // namespace wmma
}  // namespace nvcuda
