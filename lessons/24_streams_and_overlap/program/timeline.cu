// Draws what the engines of a GPU did and when, from events recorded around every copy and every kernel.
//   nvcc -arch=native -I. -o timeline lessons/24_streams_and_overlap/program/timeline.cu
//   ./timeline timeline.svg "measured"
// Without a GPU, by the simulator's model:
//   ./ladder sim -I. lessons/24_streams_and_overlap/program/timeline.cu -- timeline.svg "modelled, not
//   measured"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../spring.h"

namespace {

constexpr std::int64_t kSprings = 1 << 21;  // 8 MiB each way
constexpr int kLanes = 3;
constexpr const char* kLaneNames[kLanes] = {"copy in", "kernels", "copy out"};
constexpr const char* kColours[kLanes] = {"#3b7dd8", "#e8833a", "#3f9d63"};

/// What one engine did for one chunk, milliseconds from the start.
struct Chunk {
  int lane;
  int stream;
  double begin, end;
};

struct Arrangement {
  const char* title;
  bool pinned;
  int chunks;
  int streams;
  std::vector<Chunk> did;
  double end = 0;  ///< when the last chunk was done, ms
};

struct Marks {
  int stream;
  cudaEvent_t at[kLanes + 1];  ///< before the first lane's work and after each lane's
};

void run(Arrangement& arrangement) {
  const std::size_t bytes = kSprings * sizeof(float);
  float *in = nullptr, *out = nullptr, *d_in = nullptr, *d_out = nullptr;
  if (arrangement.pinned) {
    CUDA_CHECK(cudaMallocHost(&in, bytes));
    CUDA_CHECK(cudaMallocHost(&out, bytes));
  } else {
    in = static_cast<float*>(std::malloc(bytes));
    out = static_cast<float*>(std::malloc(bytes));
  }
  CUDA_CHECK(cudaMalloc(&d_in, bytes));
  CUDA_CHECK(cudaMalloc(&d_out, bytes));
  for (std::int64_t i = 0; i < kSprings; ++i) in[i] = out[i] = 1 - 2e-6f * static_cast<float>(i % 1'000'000);
  std::vector<cudaStream_t> streams(arrangement.streams);
  for (cudaStream_t& stream : streams) CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaEvent_t start;
  CUDA_CHECK(cudaEventCreate(&start));
  std::vector<Marks> marks(arrangement.chunks);
  for (Marks& mark : marks)
    for (cudaEvent_t& event : mark.at) CUDA_CHECK(cudaEventCreate(&event));

  for (int round = 0; round < 2; ++round) {  // the first pays for what happens once; the second is drawn
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaEventRecord(start, streams[0]));
    const std::int64_t chunk = kSprings / arrangement.chunks;
    for (int p = 0; p < arrangement.chunks; ++p) {
      Marks& mark = marks[p];
      mark.stream = p % arrangement.streams;
      const cudaStream_t stream = streams[mark.stream];
      const std::int64_t first = p * chunk;
      CUDA_CHECK(cudaEventRecord(mark.at[0], stream));
      CUDA_CHECK(
          cudaMemcpyAsync(d_in + first, in + first, chunk * sizeof(float), cudaMemcpyHostToDevice, stream));
      CUDA_CHECK(cudaEventRecord(mark.at[1], stream));
      launch_springs(d_out + first, d_in + first, chunk, stream);
      CUDA_CHECK(cudaEventRecord(mark.at[2], stream));
      CUDA_CHECK(
          cudaMemcpyAsync(out + first, d_out + first, chunk * sizeof(float), cudaMemcpyDeviceToHost, stream));
      CUDA_CHECK(cudaEventRecord(mark.at[3], stream));
    }
    CUDA_CHECK(cudaDeviceSynchronize());
  }

  for (const Marks& mark : marks)
    for (int lane = 0; lane < kLanes; ++lane) {
      float begin = 0, end = 0;
      CUDA_CHECK(cudaEventElapsedTime(&begin, start, mark.at[lane]));
      CUDA_CHECK(cudaEventElapsedTime(&end, start, mark.at[lane + 1]));
      arrangement.did.push_back({lane, mark.stream, begin, end});
      arrangement.end = std::max<double>(arrangement.end, end);
    }
  // The event before a chunk says when its stream was ready for it; it may have waited for the engine, which
  // was then busy with the chunk before.
  std::sort(arrangement.did.begin(), arrangement.did.end(),
            [](const Chunk& a, const Chunk& b) { return a.end < b.end; });
  double busy_until[kLanes] = {};
  for (Chunk& chunk : arrangement.did) {
    chunk.begin = std::max(chunk.begin, busy_until[chunk.lane]);
    busy_until[chunk.lane] = chunk.end;
  }

  for (Marks& mark : marks)
    for (cudaEvent_t event : mark.at) CUDA_CHECK(cudaEventDestroy(event));
  CUDA_CHECK(cudaEventDestroy(start));
  for (cudaStream_t stream : streams) CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_out));
  if (arrangement.pinned) {
    CUDA_CHECK(cudaFreeHost(in));
    CUDA_CHECK(cudaFreeHost(out));
  } else {
    std::free(in);
    std::free(out);
  }
}

/// Chunks of different streams are told apart by how strong the colour is.
void draw(std::FILE* file, const std::vector<Arrangement>& all, const std::string& device, const char* how) {
  constexpr double kLeft = 90, kRight = 730, kTop = 60, kEach = 118, kBar = 22, kStep = 27;
  const double height = kTop + kEach * static_cast<double>(all.size()) + 30;
  double longest = 0;
  for (const Arrangement& arrangement : all) longest = std::max(longest, arrangement.end);
  std::fprintf(
      file,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 %.0f\" width=\"760\" height=\"%.0f\" "
      "role=\"img\" font-family=\"Helvetica, Arial, DejaVu Sans, sans-serif\" fill=\"#22303c\">\n"
      "<title>What the engines did, and when</title>\n<rect width=\"760\" height=\"%.0f\" "
      "fill=\"#ffffff\"/>\n<text x=\"20\" y=\"28\" font-size=\"16\" font-weight=\"bold\">%s, %s: 8 MiB "
      "there, 2 million springs, 8 MiB back</text>\n",
      height, height, height, device.c_str(), how);
  for (std::size_t a = 0; a < all.size(); ++a) {
    const double top = kTop + kEach * static_cast<double>(a);
    std::fprintf(file, "<text x=\"20\" y=\"%.1f\" font-size=\"13\" font-weight=\"bold\">%s: %.3f ms</text>\n",
                 top, all[a].title, all[a].end);
    for (int lane = 0; lane < kLanes; ++lane) {
      const double y = top + 8 + lane * kStep;
      std::fprintf(
          file,
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"3\" fill=\"#eef2f5\"/>\n"
          "<text x=\"%.1f\" y=\"%.1f\" font-size=\"11\" fill=\"#8a97a3\" text-anchor=\"end\">%s</text>\n",
          kLeft, y, kRight - kLeft, kBar, kLeft - 7, y + 15, kLaneNames[lane]);
    }
    for (const Chunk& chunk : all[a].did) {
      const double scale = (kRight - kLeft) / longest;
      std::fprintf(file,
                   "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" rx=\"1.5\" fill=\"%s\" "
                   "fill-opacity=\"%.2f\"><title>%s, stream %d: %.4f to %.4f ms</title></rect>\n",
                   kLeft + chunk.begin * scale, top + 10 + chunk.lane * kStep,
                   std::max(0.5, (chunk.end - chunk.begin) * scale - 0.6), kBar - 4, kColours[chunk.lane],
                   1 - 0.28 * chunk.stream, kLaneNames[chunk.lane], chunk.stream, chunk.begin, chunk.end);
    }
  }
  std::fprintf(file, "</svg>\n");
}

}  // namespace

int main(int count, char** words) {
  const char* name = count > 1 ? words[1] : "timeline.svg";
  cudaDeviceProp properties;
  CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
  std::vector<Arrangement> all = {{"pageable, in one chunk", false, 1, 1, {}},
                                  {"pinned, in one chunk", true, 1, 1, {}},
                                  {"16 chunks, one stream", true, 16, 1, {}},
                                  {"16 chunks, three streams", true, 16, 3, {}}};
  for (Arrangement& arrangement : all) {
    run(arrangement);
    std::printf("%-28s %8.3f ms\n", arrangement.title, arrangement.end);
  }
  std::FILE* file = std::fopen(name, "w");
  if (file == nullptr) {
    std::fprintf(stderr, "cannot write %s\n", name);
    return 1;
  }
  draw(file, all, properties.name, count > 2 ? words[2] : "times by events");
  std::fclose(file);
  std::printf("drawn in %s\n", name);
  return 0;
}
