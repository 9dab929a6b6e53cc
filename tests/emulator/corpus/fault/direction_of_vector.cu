// Copies into a std::vector, and says the other direction.
#include <cstdint>
#include <vector>

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    std::vector<float> h(n);
    cudaMemcpy(h.data(), a, n * sizeof(float), cudaMemcpyHostToDevice);
    for (float& x : h) x += 1;
    cudaMemcpy(out, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}
