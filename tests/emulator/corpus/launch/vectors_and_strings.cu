// Memory of vectors and strings, which come and go, is the host's; what cudaMalloc gives is not.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

__global__ void k(const float* a, const char* text, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = a[i] + (text[i] - '0');
}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    std::string text;
    while (int64_t(text.size()) < n) text += std::to_string(1) + "11";
    std::map<int, std::vector<float>> rows;
    for (int i = 1; i < 40; ++i) rows[i].resize(25 * i, float(i));
    rows.erase(3);
    for (auto& [i, row] : rows) {
        const size_t bytes = row.size() * sizeof(float);
        float* device;
        cudaMalloc(&device, bytes);
        cudaMemset(device, 0, bytes);
        cudaMemcpy(device, row.data(), bytes, cudaMemcpyHostToDevice);
        std::vector<float> back(row.size());
        cudaMemcpy(back.data(), device, bytes, cudaMemcpyDeviceToHost);
        cudaFree(device);
        if (back != row) return;
    }
    char* device_text;
    cudaMalloc(&device_text, text.size());
    cudaMemcpy(device_text, text.data(), text.size(), cudaMemcpyHostToDevice);
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, device_text, out, n);
    cudaFree(device_text);
}
