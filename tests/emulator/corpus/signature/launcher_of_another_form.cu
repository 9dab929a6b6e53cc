// A launcher with a trailing return type in a linkage block, noexcept, attributes and a goto to its end.
#include <cuda_runtime.h>
#include <cstdio>
#define CHECK_OR_LEAVE(call) do { if (cudaError_t e_ = (call); e_ != cudaSuccess) { err = e_; goto done; } } while (0)
namespace {
[[nodiscard]] inline constexpr unsigned blocks(unsigned n, unsigned per) noexcept { return n / per + (n % per != 0); }
__global__ void __launch_bounds__(128, 4) k([[maybe_unused]] const float* __restrict__ const a, float* const out, const int n) {
    if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) [[likely]] out[i] = a[i] + 1;
}
}  // namespace
extern "C" {
[[gnu::visibility("default")]] auto launch(const float* a, float* out, const int n) noexcept -> void
{
    cudaError_t err = cudaSuccess;
    cudaStream_t stream = nullptr;
    cudaEvent_t begin = nullptr, end = nullptr;
    float ms = -1;
    CHECK_OR_LEAVE(cudaStreamCreateWithPriority(&stream, cudaStreamDefault, 0));
    CHECK_OR_LEAVE(cudaEventCreateWithFlags(&begin, cudaEventBlockingSync));
    CHECK_OR_LEAVE(cudaEventCreate(&end));
    CHECK_OR_LEAVE(cudaEventRecord(begin, stream));
    k<<<blocks(n, 128), 128, 0, stream>>>(a, out, n);
    CHECK_OR_LEAVE(cudaPeekAtLastError());
    CHECK_OR_LEAVE(cudaEventRecordWithFlags(end, stream, cudaEventRecordDefault));
    CHECK_OR_LEAVE(cudaEventSynchronize(end));
    CHECK_OR_LEAVE(cudaEventElapsedTime(&ms, begin, end));
done:
    if (err != cudaSuccess || ms < 0) std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(err), cudaGetErrorString(err));
    if (begin) cudaEventDestroy(begin);
    if (end) cudaEventDestroy(end);
    if (stream) cudaStreamDestroy(stream);
}
}
