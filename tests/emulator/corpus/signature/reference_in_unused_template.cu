// Templates of kernels with a reference as a parameter, which nothing uses.
template <typename T, int N>
__global__ void set(T (&x)[N]) { x[threadIdx.x] = 1; }
template <typename T>
__global__ void set_one(T& x) { x = 1; }
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + 1;
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
