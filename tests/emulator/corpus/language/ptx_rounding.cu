// PTX that rounds towards zero, down or up; bfind of four types.
__global__ void add(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float down, up, third, sum;
    asm("cvt.rm.f32.s32 %0, %1;" : "=f"(down) : "r"((1 << 24) + 1));
    asm("cvt.rp.f32.u64 %0, %1;" : "=f"(up) : "l"((1ull << 24) + 1));
    asm("div.rz.f32 %0, %1, %2;" : "=f"(third) : "f"(1.0f), "f"(3.0f));
    asm("fma.rz.f32 %0, %1, %2, %3;" : "=f"(sum) : "f"(1.0f), "f"(third), "f"(0.0f));
    unsigned place, low, wide, shift;
    asm("bfind.s32 %0, %1;" : "=r"(place) : "r"(-5));
    asm("bfind.u64 %0, %1;" : "=r"(wide) : "l"(1ull << 40));
    asm("bfind.u32 %0, %1;" : "=r"(low) : "r"(0));
    asm("bfind.shiftamt.u32 %0, %1;" : "=r"(shift) : "r"(1));
    const bool right = down == 16777216.0f && up == 16777218.0f && third < 1.0 / 3 && sum == third &&
                       place == 2 && wide == 40 && low == ~0u && shift == 31;
    out[i] = right ? a[i] + 1 : -1;
}
extern "C" void launch(const float* a, float* out, int n) { add<<<(n + 255) / 256, 256>>>(a, out, n); }
