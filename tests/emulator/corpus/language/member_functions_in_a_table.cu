// Pointers to member functions of the device in a table; an object in shared memory by placement new.
#include <cuda_runtime.h>
#include <new>
class Filter {
public:
    __device__ Filter(float gain, float bias) : gain_(gain), bias_(bias) {}
    __device__ float first(float x) const { return gain_ * x; }
    __device__ float second(float x) const { return x + bias_; }
    __device__ float third(float x) const { return -x; }
    using Step = float (Filter::*)(float) const;
    __device__ static Step step(int i) {
        const Step steps[] = {&Filter::first, &Filter::third, &Filter::second, &Filter::third};
        return steps[i & 3];
    }
private:
    float gain_, bias_;
};
__global__ void k(const float* a, float* out, int n) {
    __shared__ alignas(Filter) unsigned char raw[sizeof(Filter)];
    if (threadIdx.x == 0) new (raw) Filter(1.0f, -1.0f);
    __syncthreads();
    const Filter& f = *reinterpret_cast<const Filter*>(raw);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i];
    for (int s = 0; s < 4; ++s) {
        Filter::Step step = Filter::step(s);
        x = (f.*step)(x);
    }
    out[i] = x;
}
extern "C" void launch(const float* a, float* out, int n) { k<<<(n + 255) / 256, 256>>>(a, out, n); }
