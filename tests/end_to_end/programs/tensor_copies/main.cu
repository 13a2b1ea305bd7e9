// nvcc -arch=sm_90a -o tensor_copies *.cu && ./tensor_copies > h200.txt
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "tensor_copies.h"

unsigned Tensor::unit_bytes() const {
  return interleave == CU_TENSOR_MAP_INTERLEAVE_NONE ? element_bytes(type) : 8u << interleave;
}

void Tensor::pack() {
  std::uint64_t bytes = extent[0] * unit_bytes();
  for (unsigned i = 0; i + 1 < rank; ++i) {
    bytes = (bytes + 31) / 32 * 32;
    if (stride[i] == 0) stride[i] = bytes;
    bytes = stride[i] * extent[i + 1];
  }
}

std::uint64_t Tensor::bytes() const {
  return rank == 1 ? extent[0] * unit_bytes() : stride[rank - 2] * extent[rank - 1];
}

unsigned element_bytes(CUtensorMapDataType type) {
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8:
      return 1;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
      return 2;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
      return 8;
    default:
      return 4;
  }
}

namespace {

template <class Function>
Function* driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  CHECK(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &status));
  if (found == nullptr) std::printf("no %s\n", name), std::exit(1);
  return reinterpret_cast<Function*>(found);
}

}  // namespace

CUresult encode_tiled(CUtensorMap* map, const Tensor& t, void* global) {
  static auto* const encode = driver_function<decltype(cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  return encode(map, t.type, t.rank, global, t.extent, t.stride, t.box, t.step, t.interleave, t.swizzle,
                t.promotion, t.fill);
}

CUresult encode_im2col(CUtensorMap* map, const Tensor& t, void* global) {
  static auto* const encode = driver_function<decltype(cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
  return encode(map, t.type, t.rank, global, t.extent, t.stride, t.lower, t.upper, t.channels, t.pixels,
                t.step, t.interleave, t.swizzle, t.promotion, t.fill);
}

std::vector<unsigned char> pattern(std::size_t bytes, CUtensorMapDataType type) {
  std::vector<unsigned char> all(bytes);
  const unsigned size = element_bytes(type);
  for (std::size_t i = 0; i * size < bytes; ++i) {
    unsigned char* const at = &all[i * size];
    const auto put = [&](auto value) {
      std::memcpy(at, &value, std::min<std::size_t>(sizeof value, bytes - i * size));
    };
    switch (type) {
      case CU_TENSOR_MAP_DATA_TYPE_UINT8:
        put(static_cast<unsigned char>(i * 7 + i / 256));
        break;
      case CU_TENSOR_MAP_DATA_TYPE_UINT16:
        put(static_cast<std::uint16_t>(i));
        break;
      case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
        put(static_cast<std::uint16_t>(0x3C00 + i % 0x3F00));
        break;
      case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
        put(static_cast<std::uint16_t>(0x3F80 + i % 0x3F00));
        break;
      case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
        put(static_cast<double>(i) + 0.25);
        break;
      case CU_TENSOR_MAP_DATA_TYPE_UINT64:
      case CU_TENSOR_MAP_DATA_TYPE_INT64:
        put(static_cast<std::uint64_t>(i * 0x100000001ull));
        break;
      case CU_TENSOR_MAP_DATA_TYPE_UINT32:
      case CU_TENSOR_MAP_DATA_TYPE_INT32:
        put(static_cast<std::uint32_t>(i * 0x10001u));
        break;
      default: {  // every fifth is subnormal, infinite, not a number or has all its bits
        const std::uint32_t odd[] = {0x00000123u, 0x7F800000u, 0x7FA00001u, 0x80400000u, 0x3F812345u};
        std::uint32_t bits = 0;
        const float value = static_cast<float>(i) * 1.0001f + 0.1f;
        std::memcpy(&bits, &value, 4);
        put(i % 5 == 4 ? odd[i / 5 % 5] : bits);
      }
    }
  }
  return all;
}

void print(const std::string& name, const std::vector<unsigned char>& bytes) {
  constexpr std::size_t kMost = 512;
  std::printf("%s: ", name.c_str());
  if (bytes.size() > kMost) {
    std::uint64_t hash = 0xCBF29CE484222325ull;
    for (const unsigned char b : bytes) hash = (hash ^ b) * 0x100000001B3ull;
    std::printf("%zu bytes, hash %016llx, first ", bytes.size(), static_cast<unsigned long long>(hash));
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), bytes.size() > kMost ? 48 : kMost); ++i)
    std::printf("%02x", bytes[i]);
  std::printf("\n");
  std::fflush(stdout);
}

void print(const std::string& name, long long value) {
  std::printf("%s = %lld\n", name.c_str(), value);
  std::fflush(stdout);
}

namespace {

constexpr int kLeft = 3;  ///< exit code of leave()

int* begun;       ///< cases of a kind, in memory that its processes share
int skipped = 0;  ///< cases that a process before has run
int seen = 0;     ///< cases in this process

}  // namespace

bool next_case() {
  if (seen++ < skipped) return false;
  *begun = seen;
  return true;
}

void leave() {
  std::fflush(stdout);
  std::_Exit(kLeft);
}

namespace {

/// In a process of its own: some end the GPU's context, some the process. Cases behind one that does have
/// another process.
template <class Function>
void apart(const char* name, Function run) {
  std::fflush(stdout);
  skipped = *begun;
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);
    run();
    std::fflush(stdout);
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::printf("%s: died of signal %d\n", name, WTERMSIG(status));
  if (WIFEXITED(status) && WEXITSTATUS(status) == kLeft) return apart(name, run);
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    std::printf("%s: left with %d\n", name, WEXITSTATUS(status));
}

}  // namespace

/// All kinds, or those whose letter is given.
int main(int argc, char** argv) {
  const char* const wanted = argc > 1 ? argv[1] : "tsbimlf";
  begun = static_cast<int*>(
      mmap(nullptr, sizeof *begun, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const struct {
    char letter;
    const char* name;
    void (*run)();
  } kinds[] = {{'t', "tiled loads", tiled_loads}, {'s', "stores and reductions", stores_and_reductions},
               {'b', "bulk copies", bulk_copies}, {'i', "convolutions", convolutions},
               {'m', "bad maps", bad_maps},       {'l', "launches", launches}};
  for (const auto& kind : kinds)
    if (std::strchr(wanted, kind.letter) != nullptr) *begun = 0, apart(kind.name, kind.run);
  if (std::strchr(wanted, 'f') != nullptr)
    for (int i = 0; i < kFaults; ++i) apart(("fault " + std::to_string(i)).c_str(), [i] { faults(i); });
}
