// The emulator's <curand_kernel.h>: XORWOW (curandState) and Philox, uniform, normal and log-normal numbers.
//
// Both give the bits that cuRAND gives; normal numbers may differ from a GPU's in the last bits, as __sincosf does.
// XORWOW: G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003. Philox: J. Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Other generators, and what the host calls, are not there.
#pragma once
#include "cuda_runtime.h"

struct curandStateXORWOW {
    unsigned d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
using curandState = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
using curandStateXORWOW_t = curandStateXORWOW;

struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned STATE;  // which of the four numbers of `output` is next
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;

namespace [[gnu::visibility("hidden")]] emulator {

// XORWOW's step without its counter is linear over the bits of v: where each four bits lead, after 2^k steps.
struct XorwowJump {
    unsigned image[40][16][5];

    __host__ __device__ void apply(const unsigned (&from)[5], unsigned (&to)[5]) const {
        unsigned sum[5] = {};
        for (int i = 0; i < 40; i++) {
            const unsigned (&one)[5] = image[i][(from[i / 8] >> (i % 8 * 4)) & 15];
            for (int j = 0; j < 5; j++) sum[j] ^= one[j];
        }
        for (int j = 0; j < 5; j++) to[j] = sum[j];
    }
};
struct XorwowJumps {
    XorwowJump of[67 + 64];  // a subsequence has 2^67 numbers

    XorwowJumps() {
        for (int k = 0; k < 67 + 64; k++) {
            for (int i = 0; i < 40; i++) {
                for (unsigned bits = 0; bits < 16; bits++) {
                    unsigned v[5] = {};
                    v[i / 8] = bits << (i % 8 * 4);
                    for (int half = 0; k && half < 2; half++) of[k - 1].apply(v, v);
                    const unsigned t = v[0] ^ (v[0] >> 2), once[5] = {v[1], v[2], v[3], v[4], v[4] ^ (v[4] << 4) ^ t ^ (t << 1)};
                    for (int j = 0; j < 5; j++) of[k].image[i][bits][j] = k ? v[j] : once[j];
                }
            }
        }
    }
};
#if defined(__CUDA__)  // the front end: kernels read no variable of the host
extern __device__ XorwowJumps xorwow_jumps;
#else
inline const XorwowJumps xorwow_jumps;  // made as the library is opened: no thread waits for another
#endif

__device__ inline void xorwow_jump(curandStateXORWOW* state, unsigned long long times, int power) {
    for (; times; times >>= 1, power++) {
        if (times & 1) xorwow_jumps.of[power].apply(state->v, state->v);
    }
}
__device__ inline uint4 philox(uint4 c, uint2 key) {
    for (int round = 0; round < 10; round++) {
        const unsigned long long a = 0xD2511F53ull * c.x, b = 0xCD9E8D57ull * c.z;
        c = make_uint4(unsigned(b >> 32) ^ c.y ^ key.x, unsigned(b), unsigned(a >> 32) ^ c.w ^ key.y, unsigned(a));
        key.x += 0x9E3779B9u, key.y += 0xBB67AE85u;
    }
    return c;
}
__device__ inline void philox_advance(curandStatePhilox4_32_10* state, unsigned long long blocks) {
    const unsigned long long low = state->ctr.x | (unsigned long long)(state->ctr.y) << 32, sum = low + blocks;
    state->ctr.x = unsigned(sum), state->ctr.y = unsigned(sum >> 32);
    if (sum < low && !++state->ctr.z) ++state->ctr.w;
    state->output = philox(state->ctr, state->key);
}
constexpr int kNormal = 1, kLogNormal = 2;  // what a state keeps for the next call
template <typename State>
__device__ inline void forget_extra(State* state) {
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0, state->boxmuller_extra_double = 0;
}
__device__ inline float uniform(unsigned x) { return x * 2.3283064e-10f + 2.3283064e-10f / 2; }
__device__ inline double uniform(unsigned x, unsigned y) {
    return (x ^ (unsigned long long)(y) << 21) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2;
}
__device__ inline float2 box_muller(unsigned x, unsigned y) {
    const float angle = y * (2.3283064e-10f * 6.2831855f) + 2.3283064e-10f * 6.2831855f / 2;
    const float length = sqrtf(-2.0f * logf(uniform(x)));
    return make_float2(sinf(angle) * length, cosf(angle) * length);
}
__device__ inline double2 box_muller(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
    const double angle = 2 * uniform(y0, y1), length = sqrt(-2.0 * log(uniform(x0, x1)));
    return make_double2(sinpi(angle) * length, cospi(angle) * length);
}

}  // namespace emulator

__device__ inline void skipahead(unsigned long long n, curandStateXORWOW* state) {
    ::emulator::xorwow_jump(state, n, 0);
    state->d += 362437u * unsigned(n);
}
__device__ inline void skipahead_sequence(unsigned long long n, curandStateXORWOW* state) {
    ::emulator::xorwow_jump(state, n, 67);
}
__device__ inline void skipahead(unsigned long long n, curandStatePhilox4_32_10* state) {
    const unsigned long long place = state->STATE + (n & 3);
    state->STATE = unsigned(place & 3);
    ::emulator::philox_advance(state, n / 4 + place / 4);
}
__device__ inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* state) {
    const unsigned long long sum = (state->ctr.z | (unsigned long long)(state->ctr.w) << 32) + n;
    state->ctr.z = unsigned(sum), state->ctr.w = unsigned(sum >> 32);
    ::emulator::philox_advance(state, 0);
}

__device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                   curandStateXORWOW* state) {
    const unsigned a = 1099087573u * (unsigned(seed) ^ 0xaad26b49u), b = 2591861531u * (unsigned(seed >> 32) ^ 0xf7dcefddu);
    *state = {6615241u + a + b, {123456789u + a, 362436069u ^ a, 521288629u + b, 88675123u ^ b, 5783321u + a}, 0, 0, 0, 0};
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
__device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                   curandStatePhilox4_32_10* state) {
    state->ctr = make_uint4(0, 0, 0, 0);
    state->key = make_uint2(unsigned(seed), unsigned(seed >> 32));
    state->STATE = 0;
    ::emulator::forget_extra(state);
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

__device__ inline unsigned curand(curandStateXORWOW* state) {
    unsigned (&v)[5] = state->v;
    const unsigned t = v[0] ^ (v[0] >> 2), next = v[4] ^ (v[4] << 4) ^ t ^ (t << 1);
    v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4], v[4] = next;
    state->d += 362437u;
    return next + state->d;
}
__device__ inline unsigned curand(curandStatePhilox4_32_10* state) {
    const uint4 all = state->output;
    const unsigned place = state->STATE, one = place == 0 ? all.x : place == 1 ? all.y
                                                                : place == 2   ? all.z
                                                                               : all.w;
    if (++state->STATE == 4) {
        state->STATE = 0;
        ::emulator::philox_advance(state, 1);
    }
    return one;
}
__device__ inline uint4 curand4(curandStatePhilox4_32_10* state) {
    const unsigned x = curand(state), y = curand(state), z = curand(state), w = curand(state);
    return make_uint4(x, y, z, w);
}

template <typename State>
__device__ inline auto curand_uniform(State* state) -> decltype(state->boxmuller_extra) {
    return ::emulator::uniform(curand(state));
}
__device__ inline double curand_uniform_double(curandStateXORWOW* state) {
    const unsigned x = curand(state), y = curand(state);
    return ::emulator::uniform(x, y);
}
__device__ inline double curand_uniform_double(curandStatePhilox4_32_10* state) {  // of 32 bits, as cuRAND's
    return curand(state) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
template <typename State>
__device__ inline float2 curand_normal2(State* state) {
    const unsigned x = curand(state), y = curand(state);
    return ::emulator::box_muller(x, y);
}
template <typename State>
__device__ inline double2 curand_normal2_double(State* state) {
    const unsigned x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);
    return ::emulator::box_muller(x0, x1, y0, y1);
}
template <typename State>
__device__ inline auto curand_normal(State* state) -> decltype(state->boxmuller_extra) {
    if (state->boxmuller_flag == ::emulator::kNormal) {
        state->boxmuller_flag = 0;
        return state->boxmuller_extra;
    }
    const float2 two = curand_normal2(state);
    state->boxmuller_flag = ::emulator::kNormal, state->boxmuller_extra = two.y;
    return two.x;
}
template <typename State>
__device__ inline auto curand_normal_double(State* state) -> decltype(state->boxmuller_extra_double) {
    if (state->boxmuller_flag_double == ::emulator::kNormal) {
        state->boxmuller_flag_double = 0;
        return state->boxmuller_extra_double;
    }
    const double2 two = curand_normal2_double(state);
    state->boxmuller_flag_double = ::emulator::kNormal, state->boxmuller_extra_double = two.y;
    return two.x;
}
template <typename State>
__device__ inline auto curand_log_normal(State* state, float mean, float stddev) -> decltype(state->boxmuller_extra) {
    if (state->boxmuller_flag == ::emulator::kLogNormal) {
        state->boxmuller_flag = 0;
        return state->boxmuller_extra;
    }
    const float2 two = curand_normal2(state);
    state->boxmuller_flag = ::emulator::kLogNormal, state->boxmuller_extra = expf(mean + stddev * two.y);
    return expf(mean + stddev * two.x);
}
__device__ inline float4 curand_uniform4(curandStatePhilox4_32_10* state) {
    const uint4 all = curand4(state);
    return make_float4(::emulator::uniform(all.x), ::emulator::uniform(all.y), ::emulator::uniform(all.z),
                       ::emulator::uniform(all.w));
}
__device__ inline float4 curand_normal4(curandStatePhilox4_32_10* state) {
    const float2 one = curand_normal2(state), two = curand_normal2(state);
    return make_float4(one.x, one.y, two.x, two.y);
}
__device__ inline double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
    const uint4 all = curand4(state);
    return make_double2(::emulator::uniform(all.x, all.y), ::emulator::uniform(all.z, all.w));
}
