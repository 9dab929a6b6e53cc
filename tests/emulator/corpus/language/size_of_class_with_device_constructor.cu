// Host code names classes whose constructors are device code: in sizeof, and as a pointer's type.
#include <cstdint>
#include <new>

struct Circle {
    float radius, area;
    __device__ explicit Circle(float r) : radius(r), area(3 * r * r) {}
};
class __align__(16) Square {
  public:
    float side;
    __device__ Square(float s) : side(s) {}
};
constexpr int64_t kBytes = sizeof(Circle) > sizeof(Square) ? sizeof(Circle) : sizeof(Square);

__global__ void k(const float* a, float* out, int64_t n, Circle* none) {
    __shared__ __align__(16) unsigned char room[kBytes * 256];
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n && !none) out[i] = a[i] + (new (room + kBytes * threadIdx.x) Square(1.0f))->side;
}

extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {
    k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(a, out, n, (Circle*)nullptr);
}
