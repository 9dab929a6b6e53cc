// cuRAND in kernels: each state writes integers, then uniform and normal numbers.
#include <curand_kernel.h>

#include <cstdint>

constexpr int kEach = 16;

template <typename State>
__global__ void draw(unsigned* bits, float* values, unsigned long long seed, unsigned long long offset) {
    State state;
    const int i = threadIdx.x;
    curand_init(seed, i * 1000, offset, &state);
    for (int k = 0; k < 5; k++) bits[kEach * i + k] = curand(&state);
    values[kEach * i] = curand_uniform(&state);
    values[kEach * i + 1] = curand_uniform_double(&state);
    for (int k = 2; k < 5; k++) values[kEach * i + k] = curand_normal(&state);
    values[kEach * i + 5] = curand_normal_double(&state);
    values[kEach * i + 6] = curand_normal_double(&state);
    values[kEach * i + 7] = curand_log_normal(&state, 0.5f, 2.0f);
    skipahead(13, &state);
    skipahead_sequence(3, &state);
    bits[kEach * i + 5] = curand(&state);
}
__global__ void fours(unsigned* bits, float* values) {
    curandStatePhilox4_32_10_t state;
    curand_init(1234, 0, 0, &state);
    bits[0] = curand(&state);
    const uint4 all = curand4(&state);
    bits[1] = all.x, bits[2] = all.y, bits[3] = all.z, bits[4] = all.w;
    reinterpret_cast<float4*>(values)[0] = curand_uniform4(&state);
    reinterpret_cast<float4*>(values)[1] = curand_normal4(&state);
}
__global__ void shares(const curandState* state, float* out) {
    curandState own = state[threadIdx.x];
    out[threadIdx.x] = curand_uniform(&own);
}
__global__ void set_up(curandState* state) { curand_init(7, threadIdx.x, 0, &state[threadIdx.x]); }

extern "C" void xorwow(unsigned* bits, float* values, int64_t offset, cudaStream_t stream) {
    draw<curandState><<<1, 2, 0, stream>>>(bits, values, 1234, offset);
}
extern "C" void philox(unsigned* bits, float* values, int64_t offset, cudaStream_t stream) {
    draw<curandStatePhilox4_32_10_t><<<1, 2, 0, stream>>>(bits, values, 1234, offset);
}
extern "C" void philox_fours(unsigned* bits, float* values, cudaStream_t stream) {
    fours<<<1, 1, 0, stream>>>(bits, values);
}
extern "C" void kept(float* out, cudaStream_t stream) {
    curandState* states;
    cudaMalloc(&states, 256 * sizeof(curandState));
    set_up<<<1, 256, 0, stream>>>(states);
    shares<<<1, 256, 0, stream>>>(states, out);
    cudaFree(states);
}
