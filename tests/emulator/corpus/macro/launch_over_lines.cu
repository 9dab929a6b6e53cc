// A launch in a macro, over several lines.
template <int kMore>
__global__ void add(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + kMore;
}
#define ADD(more) \
    add<(more)> \
        <<<(n + 255) / 256, 256>>>(a, out, n)
extern "C" void launch(const float* a, float* out, int n) { ADD(1); }
