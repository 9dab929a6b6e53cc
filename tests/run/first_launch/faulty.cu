// Kernels and launchers that break one rule each, and some that break none: one file, one build.
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

// ---- kernels that break a rule --------------------------------------------------------------

// Writes one element past the end: <= in the place of <.
__global__ void write_past_end_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = 1.0f;
}
extern "C" void write_past_end(const float* x, float* out, int64_t n,
                               cudaStream_t stream = 0) {
    write_past_end_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Writes one element before the start.
__global__ void write_before_start_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i - 1] = x[i];
}
extern "C" void write_before_start(const float* x, float* out, int64_t n,
                                   cudaStream_t stream = 0) {
    write_before_start_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Adds the right neighbour, which the last element does not have.
__global__ void read_past_end_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] + x[i + 1];
}
extern "C" void read_past_end(const float* x, float* out, int64_t n,
                              cudaStream_t stream = 0) {
    read_past_end_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Subtracts the left neighbour, which the first element does not have.
__global__ void read_before_start_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] - x[i - 1];
}
extern "C" void read_before_start(const float* x, float* out, int64_t n,
                                  cudaStream_t stream = 0) {
    read_before_start_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Writes far away from every tensor.
__global__ void write_far_outside_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i - (int64_t(1) << 40)] = x[i];
}
extern "C" void write_far_outside(const float* x, float* out, int64_t n,
                                  cudaStream_t stream = 0) {
    write_far_outside_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Right for short tensors; from 2^16 elements on the index runs far away.
__global__ void write_when_long_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i < 65536 ? i : -(i << 24)] = x[i];
}
extern "C" void write_when_long(const float* x, float* out, int64_t n,
                                cudaStream_t stream = 0) {
    write_when_long_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Writes a float4 to an address that is not a multiple of 16 bytes.
__global__ void misaligned_vector_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (4 * i + 4 < n) {
        const float4 four = make_float4(x[4 * i], 0.0f, 0.0f, 0.0f);
        *reinterpret_cast<float4*>(out + 1 + 4 * i) = four;  // line: misaligned
    }
}
extern "C" void misaligned_vector(const float* x, float* out, int64_t n,
                                  cudaStream_t stream = 0) {
    misaligned_vector_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Only the first half of a block comes to the second barrier.
__global__ void barrier_not_reached_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    __shared__ volatile int arrived;
    if (threadIdx.x == 0) arrived = 0;
    __syncthreads();
    if (threadIdx.x < 128) {
        __syncthreads();  // line: barrier
        arrived = 1;
    }
    if (i < n) out[i] = x[i] + arrived;
}
extern "C" void barrier_not_reached(const float* x, float* out, int64_t n,
                                    cudaStream_t stream = 0) {
    barrier_not_reached_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Loops on a condition that never changes.
__global__ void endless_loop_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    volatile int64_t k = 0;
    while (k < n) k = k < 7 ? k + 1 : 0;
    if (i < n) out[i] = x[i];
}
extern "C" void endless_loop(const float* x, float* out, int64_t n,
                             cudaStream_t stream = 0) {
    endless_loop_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Writes past the end of an array in shared memory.
__global__ void shared_past_end_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    __shared__ float tile[128];
    tile[threadIdx.x * 4096] = 1.0f;  // thread 1 is past it
    __syncthreads();
    if (i < n) out[i] = x[i] + tile[0];
}
extern "C" void shared_past_end(const float* x, float* out, int64_t n,
                                cudaStream_t stream = 0) {
    shared_past_end_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Asserts what thread 3 does not keep.
__global__ void asserts_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    assert(i < 3);
    if (i < n) out[i] = x[i];
}
extern "C" void asserts(const float* x, float* out, int64_t n,
                        cudaStream_t stream = 0) {
    asserts_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Calls __trap().
__global__ void traps_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i == 5) __trap();
    if (i < n) out[i] = x[i];
}
extern "C" void traps(const float* x, float* out, int64_t n,
                      cudaStream_t stream = 0) {
    traps_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Asks for 100 KB of shared memory without having raised the limit.
__global__ void too_much_shared_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    extern __shared__ float many[];
    many[threadIdx.x] = i < n ? x[i] : 0.0f;
    if (i < n) out[i] = many[threadIdx.x];
}
extern "C" void too_much_shared(const float* x, float* out, int64_t n,
                                cudaStream_t stream = 0) {
    too_much_shared_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 100 << 10, stream>>>(x, out, n);
}

// ---- launchers that break a rule, with a kernel that breaks none -----------------------------

__global__ void copy_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i];
}

// Launches a block of 2,048 threads.
extern "C" void too_many_threads(const float* x, float* out, int64_t n,
                                 cudaStream_t stream = 0) {
    copy_kernel<<<static_cast<unsigned>((n + 2047) / 2048), 2048, 0, stream>>>(x, out, n);
}

// Forgets to round up: fewer elements than 2,048 give no block.
extern "C" void empty_grid(const float* x, float* out, int64_t n,
                           cudaStream_t stream = 0) {
    copy_kernel<<<static_cast<unsigned>(n / 2048), 256, 0, stream>>>(x, out, n);
}

// Throws a C++ exception that is not caught.
extern "C" void throws(const float* x, float* out, int64_t n,
                       cudaStream_t stream = 0) {
    if (n != 0) throw std::runtime_error("n must be a multiple of 4");
    copy_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Calls abort().
extern "C" void aborts(const float* x, float* out, int64_t n,
                       cudaStream_t stream = 0) {
    if (n != 0) std::abort();
    copy_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Reads through a null pointer, as host code that reads a GPU's tensor would fail.
extern "C" void host_reads_tensor(const float* x, float* out, int64_t n,
                                  cudaStream_t stream = 0) {
    const volatile float* nothing = nullptr;
    if (*nothing == 0.0f) return;
    copy_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// ---- for the first launch itself ------------------------------------------------------------

extern "C" void copies(const float* x, float* out, int64_t n,
                       cudaStream_t stream = 0) {
    copy_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Steps a elements past the end: right with a = 0.
__global__ void with_scalar_kernel(const float* x, float* out, int64_t n, int a) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n + a) out[i] = x[i];
}
extern "C" void with_scalar(const float* x, float* out, int64_t n, int a = 0,
                            cudaStream_t stream = 0) {
    with_scalar_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n, a);
}

// Adds to what stands in out, and prints.
__global__ void accumulates_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] += x[i];
    if (i == 0) printf("once\n");
}
extern "C" void accumulates(const float* x, float* out, int64_t n,
                            cudaStream_t stream = 0) {
    accumulates_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Prints, then writes past the end.
__global__ void prints_and_faults_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i == 0) printf("before\n");
    out[i + n] = x[i];
}
extern "C" void prints_and_faults(const float* x, float* out, int64_t n,
                                  cudaStream_t stream = 0) {
    prints_and_faults_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Writes from the host; `far` is added to the addresses that its kernel writes to.
extern "C" void says(const float* x, float* out, int64_t n, int64_t far = 0,
                     cudaStream_t stream = 0) {
    std::cout << "one" << std::endl;
    puts("two");
    fprintf(stderr, "three\n");
    accumulates_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out + far, n);
}

// Moves whole float4 only: needs more alignment than it declares.
__global__ void vectors_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (4 * i + 4 <= n) ((float4*)out)[i] = ((const float4*)x)[i];
}
extern "C" void vectors(const float* x, float* out, int64_t n,
                        cudaStream_t stream = 0) {
    vectors_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}

// Moves one float4 too many.
__global__ void vectors_past_end_kernel(const float* x, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (4 * i <= n) ((float4*)out)[i] = ((const float4*)x)[i];
}
extern "C" void vectors_past_end(const float* x, float* out, int64_t n,
                                 cudaStream_t stream = 0) {
    vectors_past_end_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, out, n);
}
