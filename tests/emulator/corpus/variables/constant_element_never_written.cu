// Writes to constant memory that no thread comes to.
struct Settings {
    float one, other[2];
};
__constant__ float ones[4] = {1, 1, 1, 1};
__constant__ Settings settings;
__global__ void add_one(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < 0) {
        ones[i & 3] *= 2;
        ++ones[1];
        settings.other[1] = 3;
        settings = Settings{2};
    }
    if (i < n) out[i] = a[i] + ones[i & 3];
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
