// Special registers by their functions.
#include <cuda/ptx>
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool same = cuda::ptx::get_sreg_tid_x() == threadIdx.x && cuda::ptx::get_sreg_laneid() == threadIdx.x % 32 &&
                      cuda::ptx::get_sreg_ctaid_x() == blockIdx.x && cuda::ptx::get_sreg_ntid_x() == blockDim.x;
    if (i < n && same) out[i] = a[i] + 1.0f;
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
