// The edit distance of two words by diagonals of the table, of which shared memory holds three that take turns.
#include <cuda_runtime.h>
constexpr int kMost = 96;
__device__ char letter(int word, int i) { return static_cast<char>('a' + (i * (word % 5 + 2) + word) % 7); }
__global__ void distances(int* found, int words) {
    __shared__ int rows[3][kMost + 1];
    const int word = blockIdx.x, x = 40 + word % 50, y = kMost - word % 30;
    for (int d = 0; d <= x + y; ++d) {
        int* const now = rows[d % 3];
        const int *const one = rows[(d + 2) % 3], *const two = rows[(d + 1) % 3];
        for (int i = max(0, d - y) + threadIdx.x; i <= min(d, x); i += blockDim.x) {
            const int j = d - i;
            if (i == 0 || j == 0) {
                now[i] = d;
            } else {
                const int changed = two[i - 1] + (letter(word, i) != letter(word + 1, j));
                now[i] = min(changed, min(one[i - 1], one[i]) + 1);
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0 && word < words) found[word] = rows[(x + y) % 3][x];
}
__global__ void finish(const float* a, float* out, int n, const int* found, int words) {
    const int word = blockIdx.x;
    __shared__ int row[2][kMost + 1];
    __shared__ bool ok;
    if (threadIdx.x == 0) {
        const int x = 40 + word % 50, y = kMost - word % 30;
        for (int j = 0; j <= y; ++j) row[0][j] = j;
        for (int i = 1; i <= x; ++i) {
            row[i % 2][0] = i;
            for (int j = 1; j <= y; ++j) row[i % 2][j] = min(row[1 - i % 2][j - 1] + (letter(word, i) != letter(word + 1, j)), min(row[1 - i % 2][j], row[i % 2][j - 1]) + 1);
        }
        ok = row[x % 2][y] == found[word];
    }
    __syncthreads();
    for (int i = word * blockDim.x + threadIdx.x; i < n; i += words * blockDim.x) out[i] = a[i] + ok;
}
extern "C" void launch(const float* a, float* out, int n) {
    constexpr int words = 12;
    int* found;
    cudaMalloc(&found, words * sizeof(int));
    distances<<<words, 32>>>(found, words);
    finish<<<words, 64>>>(a, out, n, found, words);
    cudaFree(found);
}
