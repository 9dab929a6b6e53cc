// Conversions of floating numbers to integers: with casts, without them, in templates, in members.
#include <cuda_runtime.h>

#include <cstdint>

__device__ double wide(long long v) { return static_cast<double>(v); }

template <typename To, typename From>
__device__ double converted(From v) {
    return static_cast<double>(static_cast<To>(v));
}
template <typename To>
__device__ double cast(float v) {
    return static_cast<double>((To)v);
}

struct Rounded {
    unsigned bits;
    __device__ void set(float v) { bits = v; }
    __device__ unsigned get() const { return bits; }
};

__global__ void convert_kernel(const double* x, double* out, int n) {
    const int i = threadIdx.x;
    if (i >= n) return;
    const double d = x[i];
    const float f = static_cast<float>(d);
    double* o = out + 16 * i;
    o[0] = (int)d;
    o[1] = static_cast<unsigned>(d);
    o[2] = wide(d);
    o[3] = static_cast<double>((unsigned long long)d);
    o[4] = short(d);
    unsigned short half_word = d;
    o[5] = half_word;
    o[6] = converted<signed char>(d);
    o[7] = (unsigned char)d;
    int whole = 0;
    whole = f;
    o[8] = whole;
    Rounded rounded;
    rounded.set(f);
    o[9] = rounded.get();
    o[10] = converted<int64_t>(f);
    o[11] = cast<uint64_t>(f);
    o[12] = cast<short>(f);
    o[13] = converted<unsigned short>(f);
    o[14] = static_cast<signed char>(0.0f + f);
    o[15] = (uint8_t)(f);
}

extern "C" void convert(const double* x,  // [n]
                        double* out,      // [n, 16]
                        int n, cudaStream_t stream) {
    convert_kernel<<<1, 64, 0, stream>>>(x, out, n);
}
