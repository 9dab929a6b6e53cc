// Functions of the integers, by their types' letters, and sums of products of bytes.
#include <cstdint>

__global__ void k(const float* a, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    const unsigned one = umin(1u, threadIdx.x + 1) * umax(1u, 0u);
    const long long zero = llmin(0, n) + llmax(0, -n) + __double2ll_rd(0.5);
    const int four = __dp4a(make_char4(1, 1, 1, 1), make_char4(1, 1, 1, 1), 0);
    if (i < n) out[i] = a[i] + __fdiv_rz(float(four), 4.0f) * float(one) + float(zero);
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}
