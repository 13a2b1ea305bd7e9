// Rung 9: Winograd's way with filters of 3 x 3: 16 multiplications for four results, which else take 36.
#include <cstddef>
#include <cstdint>

#include "conv2d.h"
#include "pixel.h"

constexpr int kPlaces = 16;      // of a tile: 4 x 4 elements of the image, from which 2 x 2 results come
constexpr int BM = 64, BN = 32;  // a block has 64 filters x 32 tiles: a product for each place
constexpr int BK = 4;            // and takes the channels in steps of 4
constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr int kOwn = kPlaces / kWarps;       // places of a warp, for all of the block's filters and tiles
constexpr int kProducts = BK * kOwn;         // of a thread in a step: 8 x 8 sums each
constexpr int kLaneRows = 8, kLaneCols = 4;  // lanes of a warp, one below the other and side by side
constexpr int TM = BM / kLaneRows, TN = BN / kLaneCols;  // sums of a thread, at each place
constexpr int kRowStep = kLaneRows * 4;                  // from a lane's first four filters to its next four
constexpr int kColStep = kLaneCols * 4;                  // from its first four tiles to its next four

// Who brings in what: the first threads a tile of one channel each, the others vectors of four filters.
constexpr int kTileThreads = BN * BK, kFilterThreads = kThreads - kTileThreads;
constexpr int kVectors = BK * kPlaces * BM / 4 / kFilterThreads;
static_assert(BM <= kScratchFilters && BK <= kScratchChannels, "the scratch memory suffices");

constexpr int kAtOnce = 2;                       // of a thread's TM, that are exchanged in the end
constexpr int kExchanged = kLaneRows * kAtOnce;  // filters
constexpr int kPad = 8;  // 8 lanes write vectors of 4 rows at a time: rows of 40 words send them to all banks

/// Shared memory: tiles while products are formed, later their sums on the way to other threads.
union Shared {
  struct {
    float filter[2][BK][kPlaces][BM];
    float image[2][BK][kPlaces][BN];
  } tile;
  float sum[kPlaces][kExchanged][BN + kPad];
};

/// Rounds up to whole blocks of filters, or whole steps of channels.
__host__ __device__ constexpr int whole(int count, int each) { return (count + each - 1) / each * each; }

/// How many tiles lie side by side in an image.
__host__ __device__ int tiles_across(const ConvShape& shape) { return (shape.out_cols() + 1) / 2; }
__host__ __device__ int tiles_in_image(const ConvShape& shape) {
  return (shape.out_rows() + 1) / 2 * tiles_across(shape);
}

/// Brings all filters into their form of 4 x 4, once: as [f / BM][channel][place][f % BM], so that what a
/// block needs in a step lies in one piece. Behind the last filter and channel there are zeros.
__global__ void filters_kernel(float* transformed, const float* filter, ConvShape shape) {
  const int channels = whole(shape.channels, BK);
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const int c = i / BM % channels, f = i / BM / channels * BM + i % BM;
  if (f >= whole(shape.filters, BM)) return;
  float g[3][3], u[4][4];
  for (int k = 0; k < 9; ++k)
    g[k / 3][k % 3] = f < shape.filters && c < shape.channels
                          ? filter[(static_cast<std::size_t>(f) * shape.channels + c) * 9 + k]
                          : 0.0f;
  // TODO(1): u, from g, as in the README: three elements (g, h, i) of a column become four, g, (g + h + i) /
  //          2, (g - h + i) / 2 and i, so 3 x 3 become 4 x 3; then likewise the three of each row (13 lines).
  for (int k = 0; k < kPlaces; ++k) transformed[(i / BM * kPlaces + k) * BM + i % BM] = u[k / 4][k % 4];
}

/// Four elements of a tile's row or column, on the image's side.
__device__ void mix(float& a, float& b, float& c, float& d) {
  // TODO(2): a - c, b + c, c - b and b - d, in the place of a, b, c and d (5 lines).
}

__global__ void __launch_bounds__(kThreads)
    conv2d_kernel(float* out, const float* in, const float* transformed, ConvShape shape) {
  __shared__ alignas(16) Shared shared;
  const int out_rows = shape.out_rows(), out_cols = shape.out_cols();
  const int across = tiles_across(shape), image_tiles = tiles_in_image(shape);
  const int tiles = shape.batch * image_tiles, plane = shape.rows * shape.cols;
  const int down = whole(shape.filters, BM) / BM;
  const int f0 = blockIdx.x % down * BM;  // neighbouring blocks share their tiles, not their filters
  const int t0 = blockIdx.x / down * BN;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  // A load of 16 bytes is served to 8 lanes at a time; to 16 where lanes next to each other want the same, as
  // for a_part, or lanes 2 apart, as for b_part.
  const int lane_row = lane / 2 % kLaneRows, lane_col = lane / (2 * kLaneRows) * 2 + lane % 2;
  const int row = lane_row * 4, col = lane_col * 4;

  // What this thread brings in: a tile of one of a step's channels, or some of a step's filters.
  const bool has_tile = threadIdx.x < kTileThreads;
  const int my_tile = threadIdx.x % BN, my_channel = threadIdx.x / BN;
  const int my_vec = threadIdx.x - kTileThreads;
  const float4* vecs = reinterpret_cast<const float4*>(transformed) + my_vec +
                       static_cast<std::size_t>(f0) * whole(shape.channels, BK) * kPlaces / 4;
  const int t = t0 + my_tile, y0 = t % image_tiles / across * 2 - shape.padding;
  const int x0 = t % image_tiles % across * 2 - shape.padding;
  const float* image = in +
                       (static_cast<std::size_t>(t / image_tiles) * shape.channels + my_channel) * plane +
                       static_cast<std::int64_t>(y0) * shape.cols + x0;
  unsigned inside = 0;  // a bit for each of the tile's elements: the same for all channels
  // TODO(3): which of the tile's elements lie in the image? Set bit k where element (k / 4, k % 4) does, and
  //          none where there is no such tile (4 lines).

  alignas(16) float part[kVectors * 4];  // the next step's, while they are on their way
  static_assert(kVectors * 4 >= kPlaces, "room for a tile");
  const auto fetch = [&](int c0) {
    if (has_tile) {
      const unsigned wanted = c0 + my_channel < shape.channels ? inside : 0;
#pragma unroll
      for (int k = 0; k < kPlaces; ++k) part[k] = wanted >> k & 1 ? image[k / 4 * shape.cols + k % 4] : 0.0f;
      image += BK * plane;
    } else {
#pragma unroll
      for (int q = 0; q < kVectors; ++q) *reinterpret_cast<float4*>(&part[q * 4]) = vecs[q * kFilterThreads];
      vecs += kVectors * kFilterThreads;
    }
  };
  const auto put = [&](int set) {
    if (has_tile) {
      // TODO(4): mix() the four elements of each column of the tile, then of each row. Element (r, s) is
      //          part[r * 4 + s]; unroll the loops, so that part stays in registers (4 lines).
#pragma unroll
      for (int k = 0; k < kPlaces; ++k) shared.tile.image[set][my_channel][k][my_tile] = part[k];
    } else {
#pragma unroll
      for (int q = 0; q < kVectors; ++q)
        reinterpret_cast<float4*>(shared.tile.filter[set])[q * kFilterThreads + my_vec] =
            *reinterpret_cast<const float4*>(&part[q * 4]);
    }
  };

  // Of the product at hand and of the next one: a step has BK channels times kOwn places.
  alignas(16) float a_part[2][TM], b_part[2][TN];
  const auto read = [&](int set, int l) {
    const int channel = l / kOwn, place = warp * kOwn + l % kOwn;
#pragma unroll
    for (int i = 0; i < TM; i += 4)
      *reinterpret_cast<float4*>(&a_part[l % 2][i]) =
          *reinterpret_cast<const float4*>(&shared.tile.filter[set][channel][place][row + i / 4 * kRowStep]);
#pragma unroll
    for (int j = 0; j < TN; j += 4)
      *reinterpret_cast<float4*>(&b_part[l % 2][j]) =
          *reinterpret_cast<const float4*>(&shared.tile.image[set][channel][place][col + j / 4 * kColStep]);
  };
  alignas(16) float sum[kOwn][TM][TN] = {};  // 128 registers
  const auto multiply = [&](int l) {
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
      for (int j = 0; j < TN; ++j) sum[l % kOwn][i][j] += a_part[l % 2][i] * b_part[l % 2][j];
  };

  fetch(0);
  put(0);
  __syncthreads();  // the first tiles are there
  read(0, 0);
#pragma unroll 2  // `set` is known in either copy
  for (int c0 = 0, set = 0; c0 < shape.channels; c0 += BK, set ^= 1) {
    const bool more = c0 + BK < shape.channels;
    if (more) fetch(c0 + BK);  // nobody waits for it before put() needs it
#pragma unroll
    for (int l = 0; l < kProducts; ++l) {
      if (l + 1 < kProducts) {
        read(set, l + 1);
      } else {
        __syncthreads();   // the next tiles are there, and all have read these
        read(set ^ 1, 0);  // behind the last step these are old ones: they are not multiplied
      }
      // One product early, so that nobody waits long for the others. Nobody reads there: all have passed the
      // barrier of the step before.
      if (l + 2 == kProducts && more) put(set ^ 1);
      multiply(l);
    }
  }

  // A place's sums lie in one warp, and a result needs all places: exchange them, a few filters at a time.
#pragma unroll
  for (int i0 = 0; i0 < TM; i0 += kAtOnce) {
    __syncthreads();  // all have read before anybody overwrites
#pragma unroll
    for (int p = 0; p < kOwn; ++p)
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
          *reinterpret_cast<float4*>(
              &shared.sum[warp * kOwn + p][i * kLaneRows + lane_row][col + j / 4 * kColStep]) =
              *reinterpret_cast<const float4*>(&sum[p][i0 + i][j]);
    __syncthreads();  // the sums are there
#pragma unroll
    for (int k = threadIdx.x; k < kExchanged * BN; k += kThreads) {
      const int line = k / BN, tile = t0 + k % BN;
      const int i = i0 + line / kLaneRows;  // whose: row i of lane line % kLaneRows
      const int f = f0 + line % kLaneRows * 4 + i / 4 * kRowStep + i % 4;
      if (f >= shape.filters || tile >= tiles) continue;
      float m[4][4];
#pragma unroll
      for (int place = 0; place < kPlaces; ++place) m[place / 4][place % 4] = shared.sum[place][line][k % BN];
      float y[2][2];
      // TODO(5): four sums (p, q, r, s) of a column of m become two, p + q + r and q - r - s, so 4 x 4 become
      //          2 x 4; then likewise the four of each row. Those are the tile's results y (10 lines).
      // TODO(6): `across` tiles lie side by side in an image, and image_tiles are in each: where in out do
      //          this tile's results begin? Store y's rows, if the result has them, and of each the second
      //          element only if the result has it. Where all rows begin at a multiple of 8 bytes, store both
      //          at once (13 lines).
    }
  }
}

/// Any other shape, as in rung 1. (A library has a rung 8 for them.)
__global__ void direct_kernel(float* out, const float* in, const float* filter, ConvShape shape) {
  const int out_rows = shape.out_rows(), out_cols = shape.out_cols();
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const int y = i / out_cols % out_rows, x = i % out_cols;
  const std::size_t plane = i / out_cols / out_rows, n = plane / shape.filters, f = plane % shape.filters;
  if (n >= shape.batch) return;
  float sum = 0;
  const float* weight = filter + f * shape.channels * shape.side * shape.side;
  const float* image = in + n * shape.channels * shape.rows * shape.cols;
  for (int c = 0; c < shape.channels; ++c, image += static_cast<std::size_t>(shape.rows) * shape.cols)
    for (int r = 0; r < shape.side; ++r)
      for (int s = 0; s < shape.side; ++s, ++weight)
        sum += *weight * pixel(image, y * shape.stride + r * shape.dilation - shape.padding,
                               x * shape.stride + s * shape.dilation - shape.padding, shape.rows, shape.cols);
  out[i] = sum;
}

cudaError_t conv2d(float* out, const float* in, const float* filter, const ConvShape& shape, float* scratch) {
  const std::size_t pixels = static_cast<std::size_t>(shape.batch) * shape.out_rows() * shape.out_cols();
  if (shape.filters == 0 || pixels == 0) return cudaSuccess;
  if (shape.side == 3 && shape.stride == 1 && shape.dilation == 1 && shape.channels >= BK) {
    const std::size_t filters = whole(shape.filters, BM), channels = whole(shape.channels, BK);
    filters_kernel<<<(filters * channels - 1) / kThreads + 1, kThreads>>>(scratch, filter, shape);
    const unsigned across = (shape.batch * tiles_in_image(shape) - 1) / BN + 1;
    conv2d_kernel<<<filters / BM * across, kThreads>>>(out, in, scratch, shape);
  } else {
    direct_kernel<<<(pixels * shape.filters - 1) / kThreads + 1, kThreads>>>(out, in, filter, shape);
  }
  return cudaGetLastError();
}
