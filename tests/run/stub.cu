// One launcher of each kind; stub.c stands in for their compiled code.
extern "C" void add(const float* a,  // [n]
                    const float* b,  // [n]
                    float* out,      // [n]
                    int64_t n, int block_size = 256, cudaStream_t stream = 0) {}
extern "C" void pack(const half* a,  // [n] 16-byte aligned
                     half* out,      // [n] 16-byte aligned
                     int n, float s, cudaStream_t stream = 0) {}
extern "C" void product(const double* a,  // [m, k]
                        const double* b,  // [k, n]
                        double* c,        // [m, n]
                        int64_t m, int64_t n, int64_t k, int64_t offset = -1,
                        cudaStream_t stream = 0) {}
extern "C" void split(const __nv_bfloat16* x,  // [n]
                      __nv_bfloat16* low,      // [n]
                      __nv_bfloat16* high,     // [n]
                      int* count,              // [1]
                      int64_t n, double limit = 1.5, cudaStream_t stream = 0) {}
extern "C" void blocks(int64_t blocks, int block_size = 256, cudaStream_t stream = 0) {}
