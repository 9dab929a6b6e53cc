// Kernels with barriers and no warp operations, whose blocks run by phases: loops over the threads between the barriers.
#include <cuda_fp16.h>  // whose operators a template's `+=` may mean
#include <cuda_runtime.h>

#include <cstdint>

#define LAUNCH(name) \
    extern "C" void name(const float* x, float* out, int threads, void* stream) { \
        name##_kernel<<<3, threads, threads * sizeof(float), static_cast<cudaStream_t>(stream)>>>(x, out, threads); \
    }
#define FLAT_LAUNCH(name) \
    extern "C" void name(const float* x, float* out, int threads, void* stream) { \
        name##_kernel<<<3, dim3(16, threads / 32, 2), 0, static_cast<cudaStream_t>(stream)>>>(x, out, threads); \
    }
#define SIDE 8
#define ADD_ONE(v) v += 1
#define STEP k += 2

__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int place() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ float add_to(float* p, float v) { return *p += v; }
__device__ void bump(int& k) { k += 3; }

// A product by tiles: each row of the block is a vector.
template <int kSide>
__global__ void product_kernel(const float* a, float* c, int n) {
    __shared__ float ta[kSide][kSide + 1], tb[kSide][kSide];
    const int x = threadIdx.x, y = threadIdx.y;
    const int64_t row = static_cast<int64_t>(blockIdx.x) * kSide + y;
    float sum = 0.0f;
    for (int64_t first = 0; first < n; first += kSide) {
        ta[y][x] = first + x < n ? a[row * n / 16 + first / 16 + x] : 0.0f;
        tb[y][x] = a[(first + y) % 16 * kSide + x];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kSide; ++i) sum += ta[y][i] * tb[i][x];
        __syncthreads();
    }
    c[row * kSide + x] = sum;
}
extern "C" void product(const float* x, float* out, int, void* stream) {
    product_kernel<8><<<2, dim3(8, 8), 0, static_cast<cudaStream_t>(stream)>>>(x, out, 32);
}

// In a template whose arrays depend on it, the tree does not say that `sum` is changed.
template <int S>
__global__ void turned_kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    __shared__ float left[S][S + 1];
    __shared__ float right[S][S + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t row = int64_t(blockIdx.y) * S + ty;
    const int64_t col = int64_t(blockIdx.x) * S + tx;
    const int64_t line = int64_t(blockIdx.x) * S + ty;
    double sum = 0.0;
    for (int64_t at = 0; at < k; at += S) {
        left[ty][tx] = row < m && at + tx < k ? a[row * k + at + tx] : 0.0f;
        right[ty][tx] = line < n && at + tx < k ? b[line * k + at + tx] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int s = 0; s < S; ++s) sum += left[ty][s] * right[tx][s];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = float(sum);
}
extern "C" void turned(const float* x, float* out, int, void* stream) {
    turned_kernel<8><<<2, dim3(8, 8), 0, static_cast<cudaStream_t>(stream)>>>(x, x + 3, out, 8, 16, 13);
}

// Variables that change, and are the same for all threads.
__global__ void scan_kernel(const float* x, float* out, int n) {
    __shared__ float buffer[2][1024];
    int t = threadIdx.x;
    int to = 0, from = 1;
    buffer[0][t] = x[place()];
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        to = 1 - to;
        from = 1 - to;
        if (t >= offset)
            buffer[to][t] = buffer[from][t] + buffer[from][t - offset];
        else
            buffer[to][t] = buffer[from][t];
        __syncthreads();
    }
    out[place()] = buffer[to][t];
}
LAUNCH(scan)

__global__ void tree_kernel(const float* x, float* out, int) {
    extern __shared__ float part[];
    const int t = threadIdx.x;
    part[t] = x[place()];
    __syncthreads();
    for (int left = blockDim.x; left > 1;) {
        const int half = (left + 1) / 2;
        if (t + half < left) part[t] += part[t + half];
        __syncthreads();
        left = half;
    }
    int turns = 3;
    while (turns > 0) {
        part[t] += turns;
        __syncthreads();
        turns -= 1;
    }
    int more = 4;
    do {
        if (more > 2) part[t] += t * more;
        __syncthreads();
        more--;
    } while (more);
    if (t) return;
    out[blockIdx.x] = part[0];
}
LAUNCH(tree)

__global__ void counts_kernel(const float* x, float* out, int n) {
    __shared__ int bins[16];
    __shared__ unsigned most;
    __shared__ float total;
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    if (threadIdx.x == 0) most = 0, total = 0.0f;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x / 2) {
        atomicAdd(&bins[static_cast<int>(x[i] * 4 + 8) & 15], 1);
        atomicMax(&most, static_cast<unsigned>(x[i] * 100 + 900));
        atomicAdd(&total, x[i]);
    }
    __syncthreads();
    out[place()] = bins[threadIdx.x & 15] + most + total;
    if (threadIdx.x < 4) atomicAdd(&out[threadIdx.x], 1.0f);
}
LAUNCH(counts)

// What a thread keeps: a number, an array, a pointer that moves on.
__global__ void kept_kernel(const float* x, float* out, int n) {
    __shared__ float tile[1024];
    float part[4] = {};
    double sum = threadIdx.x;
    x += threadIdx.x;
    for (int turn = 0; turn < 3; ++turn) {
        tile[threadIdx.x] = *x;
        __syncthreads();
        for (int i = 0; i < 4; ++i) part[i] += tile[(threadIdx.x + i) % n] * weights[i];
        sum += tile[n - 1 - threadIdx.x];
        __syncthreads();
        x += n;
    }
    out[place()] = part[0] + part[1] + part[2] + part[3] + static_cast<float>(sum);
}
LAUNCH(kept)

__global__ void flat_kernel(const float* x, float* out, int n) {
    __shared__ float tile[2][32][17];
    const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned i = blockIdx.x * n + t;
    tile[threadIdx.z][threadIdx.y][threadIdx.x] = x[i];
    __syncthreads();
    if (blockIdx.x < 2) {
        tile[threadIdx.z][threadIdx.y][threadIdx.x] *= 2;
        __syncthreads();
    }
    if (i < 3u * n - 5) out[i] = tile[1 - threadIdx.z][blockDim.y - 1 - threadIdx.y][(threadIdx.x + 3) % 16];
}
FLAT_LAUNCH(flat)

// Conditional on what the block has alike, but by each thread: not once for all.
__global__ void once_kernel(const float* x, float* out, int) {
    __shared__ float tile[1024];
    int k = 1;
    if (blockIdx.x < 2) k += 2;
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    {
        int k = 40;
        k += threadIdx.x;
        tile[threadIdx.x] += k;
    }
    k *= 2;
    out[place()] = tile[threadIdx.x] + k;
}
LAUNCH(once)

// What is not seen at once: a macro, a reference, a function, a destructor, an operator. None of them has phases.
__global__ void by_macro_kernel(const float* x, float* out, int) {
    __shared__ float tile[1024];
    int k = 1;
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    ADD_ONE(k);
    STEP;
    out[place()] = tile[threadIdx.x] + k;
}
LAUNCH(by_macro)
__global__ void by_reference_kernel(const float* x, float* out, int) {
    __shared__ float tile[1024];
    int k = 1;
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    bump(k);
    out[place()] = tile[threadIdx.x] + k;
}
LAUNCH(by_reference)
struct AddsAtItsEnd {
    float* to;
    __device__ ~AddsAtItsEnd() { *to += 0.5f; }
};
__global__ void by_destructor_kernel(const float* x, float* out, int) {
    __shared__ float tile[1024];
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    {
        AddsAtItsEnd adds{&tile[threadIdx.x]};
        if (x[place()] > 0.0f) tile[threadIdx.x] *= 2;
    }
    out[place()] = tile[threadIdx.x];
}
LAUNCH(by_destructor)
struct Number {
    float v;
    __device__ Number& operator+=(float by) {
        v += by;
        return *this;
    }
};
__global__ void by_operator_kernel(const float* x, float* out, int) {
    __shared__ float tile[1024];
    Number number{1.0f};
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    number += tile[threadIdx.x];
    out[place()] = number.v;
}
LAUNCH(by_operator)
// A function that is given memory has phases.
// Without phases: what is past a thread's own array would be written unseen.
template <class T>
__global__ void by_pointer_kernel(const T* x, T* out, int n) {
    __shared__ T tile[1024];
    T own[4] = {1, 2, 3, 4};
    T* some = own;
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    some[threadIdx.x % 4] += tile[n - 1 - threadIdx.x];
    out[place()] = own[0] + own[1] + own[2] + own[3];
}
LAUNCH(by_pointer)
__global__ void by_function_kernel(const float* x, float* out, int) {
    __shared__ float tile[1024];
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    const float sum = add_to(&tile[threadIdx.x], 2.0f);
    out[place()] = sum * 2.0f;
}
LAUNCH(by_function)

// Structs of numbers alone.
struct Largest {
    float value;
    int at;
};
struct Mean {
    float sum = 0.0f, n = 0.0f;
};
__device__ Largest larger(Largest a, Largest b) { return b.value > a.value || (b.value == a.value && b.at < a.at) ? b : a; }
__global__ void structs_kernel(const float* x, float* out, int n) {
    __shared__ Largest all[1024];
    Largest mine{-1e30f, 0};
    Mean mean;
    for (int i = threadIdx.x; i < 3 * n; i += blockDim.x) mine = larger(mine, {x[i], i});
    mean.sum += mine.value, mean.n += 1.0f;
    all[threadIdx.x] = Largest{mine.value, mine.at};
    __syncthreads();
    for (int left = blockDim.x; left > 1;) {
        const int half = (left + 1) / 2;
        if (threadIdx.x + half < left) all[threadIdx.x] = larger(all[threadIdx.x], all[threadIdx.x + half]);
        __syncthreads();
        left = half;
    }
    const Largest of_all = all[0];
    out[place()] = of_all.value + of_all.at + mean.sum / mean.n - mine.at;
}
LAUNCH(structs)

// A function as an argument.
struct Join {
    __device__ float operator()(float a, float b) const { return 0.5f * a + b; }
};
template <class Op>
__device__ float over_block(float mine, Op op, float* cells) {
    cells[threadIdx.x] = mine;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) cells[threadIdx.x] = op(cells[threadIdx.x], cells[threadIdx.x + half]);
    }
    __syncthreads();
    return cells[0];
}
__global__ void functors_kernel(const float* x, float* out, int) {
    __shared__ float cells[1024];
    out[place()] = over_block(x[place()], Join(), cells);
}
LAUNCH(functors)

// The end of a row and the beginning of the next one: what is written is not what is read, or it is.
__global__ void rows_kernel(const float* x, float* out, int n) {
    __shared__ float tile[1024];
    for (int row = blockIdx.x; row < 4; row += 2) {
        const float* from = x + row * n;
        float* to = out + row * n;
        tile[threadIdx.x] = from[threadIdx.x] + from[n - 1 - threadIdx.x];
        __syncthreads();
        const float sum = tile[0] + tile[n - 1 - threadIdx.x];
        __syncthreads();
        to[threadIdx.x] = sum;
    }
}
extern "C" void rows(const float* x, float* out, int threads, void* stream) {
    rows_kernel<<<2, threads, 0, static_cast<cudaStream_t>(stream)>>>(x, out, threads);
}
__global__ void over_rows_kernel(const float* x, float* out, int n) {
    __shared__ float tile[1024];
    for (int row = 0; row < 3; ++row) {
        tile[threadIdx.x] = x[(threadIdx.x + row) % n];
        __syncthreads();
        const float sum = tile[0] + tile[n - 1 - threadIdx.x];
        __syncthreads();
        out[threadIdx.x] = sum;
    }
}
extern "C" void in_place(const float* x, float* out, int threads, void* stream) {
    cudaMemcpyAsync(out, x, threads * sizeof(float), cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream));
    over_rows_kernel<<<1, threads, 0, static_cast<cudaStream_t>(stream)>>>(out, out, threads);
}

// Arrays of known length, of the file and of a thread, and pointers of another type.
__device__ float parts[3];
__global__ void lengths_kernel(const float* x, float* out, int n) {
    __shared__ float tile[1024];
    float own[4] = {1, 2, 3, 4};
    const float2* two = reinterpret_cast<const float2*>(x) + threadIdx.x;
    tile[threadIdx.x] = two[0].x * ((const float4*)x)[threadIdx.x % 4].w + (*(two + 1)).y;
    __syncthreads();
    if (threadIdx.x == 0) parts[blockIdx.x] = tile[0] + tile[n - 1];
    __syncthreads();
    out[place()] = parts[blockIdx.x] + own[threadIdx.x % 4] + tile[n - 1 - threadIdx.x];
}
LAUNCH(lengths)

// A thread's own element after its last round. With several rows of threads it is not its own.
__global__ void own_kernel(const float* x, float* out, int n) {
    __shared__ float tile[1024];
    const int t = threadIdx.x;
    tile[t] = x[place()];
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) tile[t] += tile[t + half];
    }
    if (t == 0) out[blockIdx.x] = tile[0];
}
LAUNCH(own)
extern "C" void own_of_rows(const float* x, float* out, int threads, void* stream) {
    own_kernel<<<3, dim3(16, threads / 16), 0, static_cast<cudaStream_t>(stream)>>>(x, out, threads);
}

// Variables in the manner of C, some of the block and some of a thread, and one thread's own work between rows.
extern __shared__ float of_file[];
__global__ void older_kernel(const float* x, float* out, int n) {
    __shared__ float two[2][1024], carry;
    int t = threadIdx.x, size = blockDim.x, half, turn = 0;
    float mine;
    if (t == 0) carry = 0.0f;
    for (int row = 0; row < 3; row++) {
        mine = x[row * n + t];
        two[turn & 1][t] = of_file[t] = mine;
        for (half = size / 2; half > 0; half /= 2) {
            __syncthreads();
            if (t < half) of_file[t] += of_file[t + half];
        }
        if (t == 0) *out = carry += of_file[0];
        __syncthreads();
        if (t) out[row * n + t] = two[turn & 1][t] + two[turn & 1][size - t] + carry;
        __syncthreads();
        turn++;
    }
}
LAUNCH(older)

// Lambdas: one reads, one stores, one changes what a thread has, also by another one.
__global__ void lambdas_kernel(const float* x, float* out, int n) {
    __shared__ float tile[2][1024];
    const int t = threadIdx.x;
    float sum = 0.0f, own[2] = {1.0f, 2.0f};
    auto at = [&](int i) { return i < n ? x[blockIdx.x * n + i] : -1.0f; };
    auto load = [&](int to, int by) {
        tile[to][t] = at(t + by);  // beside
        if (t == 0) tile[to][n - 1] += own[by & 1];
    };
    int now = 0;
    auto add = [&](float by) -> void { sum += tile[now][n - 1 - t] * by; };
    load(0, 0);
    __syncthreads();
    for (int turn = 1; turn < 4; ++turn) {
        load(1 - now, turn);
        add(turn);
        own[turn % 2] += sum;
        __syncthreads();
        now = 1 - now;
    }
    out[place()] = sum + own[0] - own[1];
}
LAUNCH(lambdas)
// These stay as they are: a copy of what changes, and one without a name.
__global__ void by_copy_kernel(const float* x, float* out, int n) {
    __shared__ float tile[1024];
    float v = x[place()];
    auto twice = [=](float by) { return v * by; };
    v += 1.0f;
    tile[threadIdx.x] = twice(2.0f);
    __syncthreads();
    out[place()] = tile[n - 1 - threadIdx.x] + v;
}
LAUNCH(by_copy)
__global__ void at_once_kernel(const float* x, float* out, int n) {
    __shared__ float tile[1024];
    tile[threadIdx.x] = [&] { return x[place()] + 1.0f; }();
    __syncthreads();
    out[place()] = tile[n - 1 - threadIdx.x];
}
LAUNCH(at_once)

// Threads that wait for another one in a loop: it runs meanwhile.
__global__ void waiting_kernel(const float* x, float* out, int) {
    __shared__ int come;
    if (threadIdx.x == 0) come = 0;
    __syncthreads();
    atomicAdd(&come, 1);
    while (atomicAdd(&come, 0) < blockDim.x) {
    }
    out[place()] = x[place()] + come;
}
LAUNCH(waiting)

// Races: what the order of the threads makes of them stays the same. One round's end meets the next one's begin.
__global__ void rounds_kernel(const float* x, float* out, int n) {
    __shared__ float tile[1024];
    float sum = 0.0f;
    for (int turn = 0; turn < 3; ++turn) {
        tile[threadIdx.x] = x[place()] + turn;
        __syncthreads();
        sum += tile[(threadIdx.x + 1) % n] + tile[n - 1 - threadIdx.x];
    }
    out[place()] = sum;
}
LAUNCH(rounds)
__global__ void branches_kernel(const float* x, float* out, int n) {
    __shared__ float tile[1024];
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    if (blockIdx.x == 1) {
        __syncthreads();
        tile[threadIdx.x ^ 1] += 2.0f;
    } else {
        __syncthreads();
    }
    out[place()] = tile[threadIdx.x];
}
LAUNCH(branches)
__global__ void unmet_kernel(const float* x, float* out, int n) {
    __shared__ float tile[1024];
    tile[threadIdx.x] = x[place()];
    const float next = tile[(threadIdx.x + 1) % n];
    __syncthreads();
    out[place()] = next != next ? 1.0f : next + tile[0];
}
LAUNCH(unmet)

// ---- faults ---------------------------------------------------------------------------------------------------------

__global__ void past_shared_kernel(const float* x, float* out, int) {
    __shared__ float tile[64];
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    out[place()] = tile[threadIdx.x == 41 ? 64 + 100000 : threadIdx.x];
}
LAUNCH(past_shared)
__global__ void before_shared_kernel(const float* x, float* out, int) {
    __shared__ float tile[64];
    tile[static_cast<int>(threadIdx.x) - (threadIdx.x == 41 ? 90000 : 0)] = x[place()];
    __syncthreads();
    out[place()] = tile[threadIdx.x];
}
LAUNCH(before_shared)
__global__ void beside_shared_kernel(const float* x, float* out, int) {
    __shared__ float tile[63];
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    out[place()] = tile[threadIdx.x / 2];
}
LAUNCH(beside_shared)
__global__ void past_dynamic_kernel(const float* x, float* out, int n) {
    extern __shared__ float part[];
    part[threadIdx.x] = x[place()];
    __syncthreads();
    out[place()] = part[threadIdx.x + (threadIdx.x == 20 ? 9000 : 0)];
}
LAUNCH(past_dynamic)
__global__ void outside_kernel(const float* x, float* out, int) {
    __shared__ float tile[64];
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    out[threadIdx.x == 41 ? int64_t{1} << 40 : place()] = tile[threadIdx.x];
}
LAUNCH(outside)
__global__ void nowhere_kernel(const float* x, float* out, int) {
    __shared__ float tile[64];
    x = nullptr;
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    out[place()] = tile[threadIdx.x];
}
LAUNCH(nowhere)
__global__ void divided_kernel(const float* x, float* out, int n) {
    __shared__ float tile[64];
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    out[place()] = tile[threadIdx.x] + n / (static_cast<int>(threadIdx.x) - 41);
}
LAUNCH(divided)
__global__ void past_constant_kernel(const float* x, float* out, int n) {
    __shared__ float tile[64];
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    out[place()] = tile[threadIdx.x] * weights[threadIdx.x / 9];
}
LAUNCH(past_constant)
__global__ void past_own_kernel(const float* x, float* out, int n) {
    __shared__ float tile[64];
    float own[4] = {};
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    for (int i = 0; i <= static_cast<int>(threadIdx.x) / 10; ++i) own[i] = tile[i];
    out[place()] = own[0] + own[1];
}
LAUNCH(past_own)
__global__ void aligned_kernel(const float* x, float* out, int n) {
    __shared__ float tile[64];
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    out[place()] = tile[threadIdx.x];
}
extern "C" void misaligned(const float* x, float* out, int threads, void* stream) {
    const float* beside = reinterpret_cast<const float*>(reinterpret_cast<const char*>(x) + 2);
    aligned_kernel<<<1, threads, 0, static_cast<cudaStream_t>(stream)>>>(beside, out, threads);
}
__global__ void pairs_kernel(const float* x, float* out, int n) {
    __shared__ float tile[64];
    tile[threadIdx.x] = reinterpret_cast<const float2*>(x + 1)[threadIdx.x / 2].x;
    __syncthreads();
    out[place()] = tile[threadIdx.x];
}
LAUNCH(pairs)
__global__ void past_parts_kernel(const float* x, float* out, int n) {
    __shared__ float tile[64];
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    if (threadIdx.x == 41) parts[n / 16 - 1] = tile[0];
    out[place()] = tile[threadIdx.x];
}
LAUNCH(past_parts)
__global__ void by_lambda_kernel(const float* x, float* out, int n) {
    __shared__ float tile[64];
    float own[4] = {};
    auto at = [&](int i) { return own[i]; };
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    out[place()] = tile[threadIdx.x] + at(threadIdx.x / 10);
}
LAUNCH(by_lambda)
// Of a template the tree does not say which members are arrays, or what `auto` stands for.
template <class T>
struct Four {
    T v[4];
};
template <class T>
__global__ void by_member_kernel(const T* x, T* out, int n) {
    __shared__ T tile[64];
    Four<T> own{};
    tile[threadIdx.x] = x[place()];
    __syncthreads();
    for (int i = 0; i <= static_cast<int>(threadIdx.x) / 10; ++i) own.v[i] = tile[i];
    out[place()] = own.v[0] + own.v[1];
}
LAUNCH(by_member)
template <class T>
__global__ void by_other_name_kernel(const T* x, T* out, int n) {
    __shared__ T tile[64];
    T own[4] = {};
    auto& other = own;
    tile[threadIdx.x] = x[place()] + other[threadIdx.x / 10];
    __syncthreads();
    out[place()] = tile[n - 1 - threadIdx.x];
}
LAUNCH(by_other_name)
__global__ void beside_pairs_kernel(const float* x, float* out, int n) {
    __shared__ float tile[64];
    const float2* two = (const float2*)(x + (threadIdx.x == 41));
    tile[threadIdx.x] = two[threadIdx.x / 2].x;
    __syncthreads();
    out[place()] = tile[threadIdx.x];
}
LAUNCH(beside_pairs)
__global__ void parted_kernel(const float* x, float* out, int n) {
    __shared__ float tile[64];
    tile[threadIdx.x] = x[place()];
    if (threadIdx.x < 40) __syncthreads();
    out[place()] = tile[threadIdx.x];
}
LAUNCH(parted)

// What was read before is changed when the block runs again: the thread is not known, the fault is.
__global__ void once_only_kernel(const float* x, float* out, int n) {
    __shared__ float tile[64];
    const float first = out[place()];
    float at = first;
    tile[threadIdx.x] = x[place()];
    out[place()] = 0.0f;
    __syncthreads();
    at = at == 7.0f ? 1e9f : 0.0f;
    out[place()] = tile[threadIdx.x] + x[static_cast<int64_t>(at)];
}
LAUNCH(once_only)

// A bitonic sort: a loop's number stands behind an & that takes no address.
__global__ void bitonic_kernel(const float* x, float* out, int n) {
    extern __shared__ float keys[];
    const int t = threadIdx.x;
    keys[t] = x[place()];
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            const int other = t ^ j;
            if (other > t && other < n) {
                const bool up = (t & k) == 0;
                const float a = keys[t], b = keys[other];
                if ((a > b) == up) {
                    keys[t] = b;
                    keys[other] = a;
                }
            }
        }
    __syncthreads();
    out[place()] = keys[t];
}
LAUNCH(bitonic)

// Threads return behind the last barrier: the loops behind are of those that stay.
__global__ void returned_kernel(const float* x, float* out, int n) {
    __shared__ float tile[1024];
    const int t = threadIdx.x;
    tile[t] = x[place()];
    __syncthreads();
    if (t % 3 == 0) return;
    float sum = 1.0f;
    for (int i = 0; i < 4; ++i) sum += tile[(t + i) % n];
    if (sum < 0.0f) return;
    for (int i = 1; i < 3; ++i) sum -= 2.0f * tile[(t + i) % n];
    out[place()] = sum;
}
LAUNCH(returned)

// The same, with a loop of all threads before some return.
__global__ void looped_kernel(const float* x, float* out, int n) {
    __shared__ float tile[1024];
    const int t = threadIdx.x;
    tile[t] = x[place()];
    __syncthreads();
    float sum = 1.0f;
    for (int i = 0; i < 4; ++i) sum += tile[(t + i) % n];
    if (t % 3 == 0) return;
    out[place()] = sum;
}
LAUNCH(looped)

// An index that begins with what a pointer reads, in a kernel with casts.
__global__ void looked_up_kernel(const float* x, float* out, int n) {
    __shared__ float table[256];
    const int t = threadIdx.x;
    const signed char* bytes = reinterpret_cast<const signed char*>(x);
    for (int k = t; k < 256; k += n) table[k] = x[blockIdx.x] + k;
    __syncthreads();
    out[place()] = table[bytes[place()] + 128];
}
LAUNCH(looked_up)
