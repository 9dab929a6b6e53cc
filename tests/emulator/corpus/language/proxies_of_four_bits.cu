// An array of four-bit numbers whose operator[] gives a proxy; views of rows through iterators.
#include <cuda_runtime.h>
#include <cstdint>
class Nibbles {
    std::uint32_t* words_;
public:
    __host__ __device__ explicit Nibbles(std::uint32_t* words) : words_(words) {}
    class Proxy {
        std::uint32_t* word_;
        int shift_;
    public:
        __device__ Proxy(std::uint32_t* word, int shift) : word_(word), shift_(shift) {}
        __device__ operator int() const { return (*word_ >> shift_) & 15; }
        __device__ Proxy& operator=(int v) { *word_ = (*word_ & ~(15u << shift_)) | (v & 15u) << shift_; return *this; }
        __device__ Proxy& operator=(const Proxy& other) { return *this = static_cast<int>(other); }
        __device__ Proxy& operator+=(int v) { return *this = *this + v; }
    };
    __device__ Proxy operator[](int i) const { return {words_ + i / 8, 4 * (i % 8)}; }
    struct Iterator {
        const Nibbles* of; int i;
        __device__ int operator*() const { return (*of)[i]; }
        __device__ Iterator& operator++() { ++i; return *this; }
        __device__ bool operator!=(const Iterator& o) const { return i != o.i; }
    };
    __device__ Iterator begin() const { return {this, 0}; }
    __device__ Iterator end() const { return {this, 8}; }
};
__global__ void k(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    std::uint32_t word = 0;
    Nibbles v(&word);
    for (int j = 0; j < 8; ++j) v[j] = j;
    v[7] += 5;
    v[0] = v[7];
    int sum = 0;
    for (int x : v) sum += x;
    out[i] = a[i] + (sum == 45 && word == 0xc654321cu ? 1 : 0);
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
