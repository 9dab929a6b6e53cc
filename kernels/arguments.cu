// Arguments: the same addition, whose second pointer stands behind bytes that nobody reads.
//
//   a thread's share   one element
//   global loads       two 4-byte loads
//   block size         256 threads
//
// A kernel's arguments lie in constant memory, which an SM fetches line by line: a thread whose next argument is in
// another line waits once more before its first load. `unread` bytes (8 to 104, in steps of 8) stand behind the first
// 24 bytes of arguments, and the pointer b behind them.
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kMost = 104;

template <int kBytes>
struct Unread {
    char bytes[kBytes];
};

template <int kBytes>
__global__ void add_f32(const float* a, float* out, int64_t n, Unread<kBytes>, const float* b) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

template <int kBytes = 8>
void launch(int unread, const float* a, const float* b, float* out, int64_t n, int block_size, cudaStream_t stream) {
    if constexpr (kBytes < kMost) {
        if (unread > kBytes) return launch<kBytes + 8>(unread, a, b, out, n, block_size, stream);
    }
    const int64_t blocks = (n + block_size - 1) / block_size;
    add_f32<kBytes><<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, out, n, {}, b);
}

extern "C" void add(const float* a,  // [n]
                    const float* b,  // [n]
                    float* out,      // [n]
                    int64_t n, int unread = 8, int block_size = 256, cudaStream_t stream = 0) {
    launch(unread, a, b, out, n, block_size, stream);
}
