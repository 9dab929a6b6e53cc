// nvcc takes a template's type behind `typename` without the word `template`.
template <typename T>
struct Packs {
    template <int N>
    struct Of {
        T at[N];
    };
};
template <typename T>
struct Pair {
    using Held = typename Packs<T>::Of<2>;
    Held held;
};
template <typename T>
__global__ void add_one(const T* a, T* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    typename Packs<T>::Of<1> one;
    one.at[0] = 1;
    const Pair<T> zero{};
    if (i < n) out[i] = a[i] + one.at[0] + zero.held.at[1];
}
extern "C" void launch(const float* a, float* out, int n) { add_one<<<(n + 255) / 256, 256>>>(a, out, n); }
