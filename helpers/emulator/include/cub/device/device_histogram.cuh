// CUB's histograms over the whole GPU, of samples in a row or in rows, and of several channels.
#pragma once
#include <cuda/std/array>

#include "whole_gpu.cuh"

namespace [[gnu::visibility("hidden")]] cub {
namespace emulated {

// The bin of a sample among even ones, or -1.
template <typename Level>
struct EvenBins {
    int levels;
    Level lower, upper;

    template <typename Sample>
    __device__ int operator()(const Sample& sample) const {
        using T = std::common_type_t<Level, Sample>;
        const T value = static_cast<T>(sample), low = static_cast<T>(lower), high = static_cast<T>(upper);
        if (!(value >= low && value < high)) return -1;
        if constexpr (std::is_integral_v<T>) {
            return static_cast<int>(static_cast<uint64_t>(value - low) * static_cast<uint64_t>(levels - 1) / static_cast<uint64_t>(high - low));
        } else {
            const int bin = static_cast<int>((value - low) * (static_cast<T>(levels - 1) / (high - low)));
            return bin < levels - 1 ? bin : levels - 2;
        }
    }
};
template <typename Level>
struct UnevenBins {
    int levels;
    const Level* at;

    template <typename Sample>
    __device__ int operator()(const Sample& sample) const {
        int above = 0;  // how many levels are not
        while (above < levels && !(sample < at[above])) ++above;
        return above < levels ? above - 1 : -1;
    }
};
template <typename Count, typename Bins, int kChannels>
struct Channels {
    Count* counts[kChannels];
    Bins bins[kChannels];
};

// Of pixels of kSamples samples, the first kChannels of which count.
template <int kSamples, int kChannels, typename Samples, typename Count, typename Bins, typename N>
inline cudaError_t histogram(const char* name, void* storage, size_t& bytes, Samples samples, Channels<Count, Bins, kChannels> channels, N pixels, N rows,
                             size_t stride, cudaStream_t stream) {
    using Of = Channels<Count, Bins, kChannels>;
    const auto work = [] __device__(void* temp, size_t size, Samples from, Of to, N across, N down, size_t row_bytes) {
        spoil(temp, size);
        for (int channel = 0; channel < kChannels; ++channel) {
            for (int bin = 0; bin + 1 < to.bins[channel].levels; ++bin) to.counts[channel][bin] = Count(0);
        }
        const auto pitch = static_cast<int64_t>(row_bytes / sizeof(ValueOf<Samples>));
        for (N row = 0; row < down; ++row) {
            for (N pixel = 0; pixel < across; ++pixel) {
                for (int channel = 0; channel < kChannels; ++channel) {
                    const int bin = to.bins[channel](from[row * pitch + pixel * kSamples + channel]);
                    if (bin >= 0) to.counts[channel][bin] += 1;
                }
            }
        }
    };
    return in_two_phases(name, storage, bytes, tiles(pixels), stream, work, samples, channels, pixels, rows, stride);
}

}  // namespace emulated

struct DeviceHistogram {
    template <typename Samples, typename Count, typename Level, typename N>
    static cudaError_t HistogramEven(void* storage, size_t& bytes, Samples samples, Count* counts, int levels, Level lower, Level upper, N count,
                                     cudaStream_t stream = nullptr) {
        return HistogramEven(storage, bytes, samples, counts, levels, lower, upper, count, N(1), 0, stream);
    }
    template <typename Samples, typename Count, typename Level, typename N>
    static cudaError_t HistogramEven(void* storage, size_t& bytes, Samples samples, Count* counts, int levels, Level lower, Level upper, N count, N rows,
                                     size_t stride, cudaStream_t stream = nullptr) {
        const emulated::Channels<Count, emulated::EvenBins<Level>, 1> channels{{counts}, {{levels, lower, upper}}};
        return emulated::histogram<1, 1>("cub::DeviceHistogram::HistogramEven", storage, bytes, samples, channels, count, rows, stride, stream);
    }
    template <typename Samples, typename Count, typename Level, typename N>
    static cudaError_t HistogramRange(void* storage, size_t& bytes, Samples samples, Count* counts, int levels, const Level* at, N count,
                                      cudaStream_t stream = nullptr) {
        return HistogramRange(storage, bytes, samples, counts, levels, at, count, N(1), 0, stream);
    }
    template <typename Samples, typename Count, typename Level, typename N>
    static cudaError_t HistogramRange(void* storage, size_t& bytes, Samples samples, Count* counts, int levels, const Level* at, N count, N rows,
                                      size_t stride, cudaStream_t stream = nullptr) {
        const emulated::Channels<Count, emulated::UnevenBins<Level>, 1> channels{{counts}, {{levels, at}}};
        return emulated::histogram<1, 1>("cub::DeviceHistogram::HistogramRange", storage, bytes, samples, channels, count, rows, stride, stream);
    }
    template <int kSamples, int kChannels, typename Samples, typename Count, typename Level, typename N>
    static cudaError_t MultiHistogramEven(void* storage, size_t& bytes, Samples samples, Count* counts[kChannels], const int levels[kChannels],
                                          const Level lower[kChannels], const Level upper[kChannels], N pixels, cudaStream_t stream = nullptr) {
        emulated::Channels<Count, emulated::EvenBins<Level>, kChannels> channels;
        for (int i = 0; i < kChannels; ++i) channels.counts[i] = counts[i], channels.bins[i] = {levels[i], lower[i], upper[i]};
        return emulated::histogram<kSamples>("cub::DeviceHistogram::MultiHistogramEven", storage, bytes, samples, channels, pixels, N(1), 0, stream);
    }
    template <int kSamples, int kChannels, typename Samples, typename Count, typename Level, typename N>
    static cudaError_t MultiHistogramEven(void* storage, size_t& bytes, Samples samples, cuda::std::array<Count*, kChannels> counts,
                                          cuda::std::array<int, kChannels> levels, cuda::std::array<Level, kChannels> lower,
                                          cuda::std::array<Level, kChannels> upper, N pixels, cudaStream_t stream = nullptr) {
        return MultiHistogramEven<kSamples, kChannels>(storage, bytes, samples, counts.data(), levels.data(), lower.data(), upper.data(), pixels, stream);
    }
};

}  // namespace cub
