// Sums, scans and means of cuda::std, in a kernel.
#include <cuda/std/numeric>
#include <cuda/std/type_traits>
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v[3] = {1, 2, 3}, w[3];
    cuda::std::remove_cvref_t<const int&> sum = cuda::std::reduce(v, v + 3, 0);      // 6
    sum += cuda::std::inner_product(v, v + 3, v, 0);                                 // 20
    sum += *(cuda::std::inclusive_scan(v, v + 3, w) - 1);                            // 26
    sum += *(cuda::std::exclusive_scan(v, v + 3, w, 0) - 1);                         // 29
    sum += *(cuda::std::adjacent_difference(v, v + 3, w) - 1);                       // 30
    sum -= cuda::std::midpoint(2147483647, 2147483645) - cuda::std::midpoint(7, 4);  // 30 - 2147483646 + 6
    if (i < n) out[i] = a[i] + (sum + 2147483611);
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
