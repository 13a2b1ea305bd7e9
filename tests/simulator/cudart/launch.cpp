// Launches through the CUDA runtime API: results, limits, errors that stay.
#include <cuda.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/simulator/cudart/runtime_support.h"

using Catch::Matchers::ContainsSubstring;
using runtime_test::FreshDevice;
using runtime_test::launch;
using runtime_test::only_finding;

namespace {

// out[i] = 2 * i, for i < n
constexpr const char* kDouble = R"(
.visible .entry _Z6doublePii(.param .u64 p_out, .param .u32 p_n)
{
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [p_out];
  ld.param.u32 %r1, [p_n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.s32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  shl.b32 %r6, %r5, 1;
  st.global.u32 [%rd4], %r6;
DONE:
  ret;
}
.visible .entry bounded() .maxntid 128, 1, 1 { ret; }
.visible .entry clustered() .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }
.visible .entry big_tile() { .shared .align 4 .b8 tile[40960]; ret; }
.visible .entry spoils(.param .u64 p_out)
{
  .reg .b64 %rd<3>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [p_out];
  cvta.to.global.u64 %rd2, %rd1;
  mov.b32 %r1, 1;
  st.global.u32 [%rd2+4096], %r1;
  ret;
}
.visible .entry misaligns(.param .u64 p_out)
{
  .reg .b64 %rd<3>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [p_out];
  cvta.to.global.u64 %rd2, %rd1;
  mov.b32 %r1, 1;
  st.global.u32 [%rd2+2], %r1;
  ret;
}
)";

int* device_ints(int n) {
  void* p = nullptr;
  REQUIRE(cudaMalloc(&p, n * 4) == cudaSuccess);
  REQUIRE(cudaMemset(p, 0, n * 4) == cudaSuccess);
  return static_cast<int*>(p);
}

}  // namespace

TEST_CASE("a launched kernel computes, and is recorded with its counters and a modelled time") {
  FreshDevice fresh;
  runtime_test::PtxModule module(kDouble);
  const void* kernel = module.kernel("_Z6doublePii");
  int* out = device_ints(100);
  REQUIRE(launch(kernel, 4, 32, 0, nullptr, out, 100) == cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  std::vector<int> host(100);
  REQUIRE(cudaMemcpy(host.data(), out, 400, cudaMemcpyDeviceToHost) == cudaSuccess);
  for (int i = 0; i < 100; ++i) CHECK(host[i] == 2 * i);
  const auto records = sim::take_kernel_records();
  REQUIRE(records.size() == 1);
  CHECK(records[0].name == "double");
  CHECK(records[0].grid == sim::Index3{4, 1, 1});
  CHECK(records[0].block == sim::Index3{32, 1, 1});
  CHECK(records[0].counters.global_store_requests == 4);
  CHECK(records[0].counters.inst_executed >= 4 * 8);
  CHECK(records[0].modelled_ns > 1000);
  CHECK(records[0].bound == "launch");
}

TEST_CASE("5000 threads a block are an invalid configuration, with an explanation") {
  FreshDevice fresh;
  runtime_test::PtxModule module(kDouble);
  const void* kernel = module.kernel("_Z6doublePii");
  int* out = device_ints(100);
  CHECK(launch(kernel, 1, 5000, 0, nullptr, out, 100) == cudaErrorInvalidValue);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK_THAT(only_finding(), ContainsSubstring("5000 threads per block") && ContainsSubstring("1024"));
  CHECK(sim::take_kernel_records().empty());
}

TEST_CASE("grids and blocks outside the limits are invalid configurations") {
  FreshDevice fresh;
  runtime_test::PtxModule module(kDouble);
  const void* kernel = module.kernel("_Z6doublePii");
  int* out = device_ints(100);
  for (const auto& [grid, block] : std::vector<std::pair<dim3, dim3>>{{0, 32},
                                                                      {1, 0},
                                                                      {dim3(1, 65536), 32},
                                                                      {dim3(1, 1, 65536), 32},
                                                                      {dim3(0x80000000u), 32},
                                                                      {1, dim3(1, 1, 65)},
                                                                      {1, dim3(32, 33)},
                                                                      {1, dim3(65536, 65536)}}) {
    CHECK(launch(kernel, grid, block, 0, nullptr, out, 100) == cudaErrorInvalidValue);
  }
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("too much dynamic shared memory is an invalid value until the attribute allows it") {
  FreshDevice fresh;
  runtime_test::PtxModule module(kDouble);
  const void* kernel = module.kernel("big_tile");
  CHECK(launch(kernel, 1, 32, 16384, nullptr) == cudaErrorInvalidValue);
  CHECK_THAT(only_finding(), ContainsSubstring("cudaFuncSetAttribute"));
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 16384) == cudaSuccess);
  CHECK(launch(kernel, 1, 32, 16384, nullptr) == cudaSuccess);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20) ==
        cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("more threads than the launch bounds promise are too many resources") {
  FreshDevice fresh;
  runtime_test::PtxModule module(kDouble);
  const void* kernel = module.kernel("bounded");
  CHECK(launch(kernel, 1, 128, 0, nullptr) == cudaSuccess);
  CHECK(launch(kernel, 1, 129, 0, nullptr) == cudaErrorInvalidValue);
  CHECK_THAT(only_finding(), ContainsSubstring("__launch_bounds__"));
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess);
  CHECK(attributes.maxThreadsPerBlock == 128);
  cudaGetLastError();
}

TEST_CASE(
    "an access out of bounds is told at the next synchronisation and then by every call, and no reset "
    "helps") {
  FreshDevice fresh;
  runtime_test::PtxModule module(kDouble);
  const void* kernel = module.kernel("spoils");
  int* out = device_ints(4);
  CHECK(launch(kernel, 1, 1, 0, nullptr, out) == cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  int host = 0;
  CHECK(cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost) == cudaErrorIllegalAddress);
  void* more = nullptr;
  CHECK(cudaMalloc(&more, 4) == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaSuccess);
  int id = -1;
  CHECK(cudaGetDevice(&id) == cudaSuccess);  // does not ask the device
  const auto findings = sim::take_findings();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == sim::FindingKind::out_of_bounds);
  CHECK(findings[0].access == sim::AccessKind::write);
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaMalloc(&more, 4) == cudaErrorDevicesUnavailable);
  sim::revive_device();
  CHECK(cudaMalloc(&more, 4) == cudaSuccess);
  CHECK(launch(module.kernel("bounded"), 1, 1, 0, nullptr) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

TEST_CASE("a kernel made for clusters runs in them, and needs a grid that they divide") {
  FreshDevice fresh;
  runtime_test::PtxModule module(kDouble);
  const void* kernel = module.kernel("clustered");
  CHECK(launch(kernel, 4, 32, 0, nullptr) == cudaSuccess);
  CHECK(launch(kernel, 3, 32, 0, nullptr) == cudaErrorInvalidClusterSize);
  CHECK_THAT(only_finding(),
             ContainsSubstring("clustered cannot be launched in clusters of (2, 1, 1) blocks") &&
                 ContainsSubstring("must be a multiple of the cluster's"));
  cudaGetLastError();
}

namespace {

cudaError_t launch_in_clusters(const void* kernel, dim3 grid, dim3 cluster) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster.x, cluster.y, cluster.z};
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = 32;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelExC(&config, kernel, nullptr);
}

}  // namespace

TEST_CASE("a launch's own clusters have at most eight blocks, or sixteen where the kernel may") {
  FreshDevice fresh;
  runtime_test::PtxModule module(kDouble);
  const void* kernel = module.kernel("bounded");
  CHECK(launch_in_clusters(kernel, 16, 8) == cudaSuccess);
  CHECK(launch_in_clusters(kernel, 16, 16) == cudaErrorInvalidClusterSize);
  CHECK_THAT(only_finding(), ContainsSubstring("a cluster has at most 8 blocks, and 16 after"));
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess);
  CHECK(launch_in_clusters(kernel, 16, 16) == cudaSuccess);
  CHECK(launch_in_clusters(kernel, 64, 32) == cudaErrorInvalidClusterSize);
  CHECK(launch_in_clusters(kernel, dim3(4, 4), dim3(2, 2)) == cudaSuccess);
  CHECK(launch_in_clusters(kernel, dim3(4, 4), dim3(1, 3)) == cudaErrorInvalidClusterSize);
  CHECK(launch_in_clusters(module.kernel("clustered"), 4, 4) == cudaErrorInvalidClusterSize);
  CHECK(launch_in_clusters(module.kernel("clustered"), 4, 2) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("occupancy of clusters counts those that fit into a group of SMs") {
  FreshDevice fresh;
  runtime_test::PtxModule module(kDouble);
  const void* kernel = module.kernel("bounded");
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = 64;
  config.blockDim = 1024;
  config.dynamicSmemBytes = 200 * 1024;  // one block an SM
  config.attrs = &attribute;
  config.numAttrs = 1;
  REQUIRE(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024) ==
          cudaSuccess);
  int clusters = 0, blocks = 0;
  CHECK(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess);
  CHECK(clusters == 66);
  CHECK(cudaOccupancyMaxPotentialClusterSize(&blocks, kernel, &config) == cudaSuccess);
  CHECK(blocks == 8);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess);
  CHECK(cudaOccupancyMaxPotentialClusterSize(&blocks, kernel, &config) == cudaSuccess);
  CHECK(blocks == 16);
  cudaFuncAttributes attributes{};
  CHECK(cudaFuncGetAttributes(&attributes, module.kernel("clustered")) == cudaSuccess);
  CHECK(attributes.requiredClusterWidth == 2);
  CHECK(attributes.clusterDimMustBeSet == 1);
}

TEST_CASE("a misaligned access has its own error") {
  FreshDevice fresh;
  runtime_test::PtxModule module(kDouble);
  int* out = device_ints(4);
  CHECK(launch(module.kernel("misaligns"), 1, 1, 0, nullptr, out) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaErrorMisalignedAddress);
}

TEST_CASE("kernels that nobody registered, and modules that cannot be read, are refused") {
  FreshDevice fresh;
  CHECK(launch(&fresh, 1, 32, 0, nullptr) == cudaErrorInvalidResourceHandle);
  CHECK(launch(nullptr, 1, 32, 0, nullptr) == cudaErrorInvalidDeviceFunction);
  runtime_test::PtxModule module("this is not PTX\n");
  CHECK(launch(module.kernel("anything"), 1, 32, 0, nullptr) == cudaErrorInvalidPtx);
  CHECK_THAT(only_finding(), ContainsSubstring("line 4"));
  cudaGetLastError();
}

TEST_CASE(
    "managed memory that the host wrote makes the kernel wait for its pages, prefetched memory does not") {
  FreshDevice fresh;
  runtime_test::PtxModule module(kDouble);
  const void* kernel = module.kernel("_Z6doublePii");
  int* managed = nullptr;
  const int n = 1 << 20;
  REQUIRE(cudaMallocManaged(reinterpret_cast<void**>(&managed), n * 4, cudaMemAttachGlobal) == cudaSuccess);
  const auto modelled = [&] {
    REQUIRE(launch(kernel, n / 256, 256, 0, nullptr, managed, n) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    return sim::take_kernel_records().at(0).modelled_ns;
  };
  managed[0] = 1;
  const double first = modelled();
  const double again = modelled();
  CHECK(first > 3 * again);
  managed[5] = -1;
  CHECK(modelled() > again);
  CHECK(managed[5] == 10);
}

TEST_CASE("occupancy queries count blocks per multiprocessor") {
  FreshDevice fresh;
  runtime_test::PtxModule module(kDouble);
  int blocks = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, module.kernel("bounded"), 128, 0) ==
        cudaSuccess);
  CHECK(blocks == 16);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, module.kernel("big_tile"), 128, 0) ==
        cudaSuccess);
  CHECK(blocks == 5);
}

TEST_CASE("settings of GPUs long gone are taken, and read back as no choice") {
  FreshDevice fresh;
  cudaSharedMemConfig width = cudaSharedMemBankSizeEightByte;
  cudaFuncCache preferred = cudaFuncCachePreferL1;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  CHECK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte) == cudaSuccess);
  CHECK(cudaDeviceGetSharedMemConfig(&width) == cudaSuccess);
#pragma GCC diagnostic pop
  CHECK(width == cudaSharedMemBankSizeFourByte);
  CHECK(cudaDeviceGetCacheConfig(&preferred) == cudaSuccess);
  CHECK(preferred == cudaFuncCachePreferNone);
  CHECK(cudaDeviceGetCacheConfig(nullptr) == cudaErrorInvalidValue);
}

TEST_CASE("the device has the properties of the modelled GPU") {
  FreshDevice fresh;
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK(properties.warpSize == 32);
  CHECK(properties.multiProcessorCount > 0);
  int sms = 0;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess);
  CHECK(sms == properties.multiProcessorCount);
  CHECK(cudaGetDeviceProperties(&properties, 1) == cudaErrorInvalidDevice);
  CHECK(std::string(cudaGetErrorString(cudaErrorInvalidDevice)) == "invalid device ordinal");
  CHECK(std::string(cudaGetErrorName(cudaErrorInvalidDevice)) == "cudaErrorInvalidDevice");
}

TEST_CASE("tensor maps are encoded, and refused with the codes of an H200") {
  FreshDevice fresh;
  using Encode = decltype(cuTensorMapEncodeTiled);
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  REQUIRE(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                           &status) == cudaSuccess);
  REQUIRE(found);
  int* const memory = device_ints(4096);
  struct Arguments {
    int type = CU_TENSOR_MAP_DATA_TYPE_UINT16, rank = 2, swizzle = 0, fill = 0, promotion = 0;
    cuuint64_t extent[5] = {64, 16, 1, 1, 1}, stride[4] = {128, 4096, 4096, 4096};
    cuuint32_t box[5] = {32, 8, 1, 1, 1}, step[5] = {1, 1, 1, 1, 1};
    std::size_t offset = 0;
  };
  CUtensorMap map;
  const auto code = [&](auto change) {
    Arguments a;
    change(a);
    return int(reinterpret_cast<Encode*>(found)(
        &map, CUtensorMapDataType(a.type), cuuint32_t(a.rank), reinterpret_cast<char*>(memory) + a.offset,
        a.extent, a.stride, a.box, a.step, CU_TENSOR_MAP_INTERLEAVE_NONE, CUtensorMapSwizzle(a.swizzle),
        CUtensorMapL2promotion(a.promotion), CUtensorMapFloatOOBfill(a.fill)));
  };
  CHECK(code([](Arguments&) {}) == 0);
  for (const int rank : {0, 6}) CHECK(code([&](Arguments& a) { a.rank = rank; }) == 1);
  for (const int type : {-1, 13, 99}) CHECK(code([&](Arguments& a) { a.type = type; }) == 1);
  CHECK(code([](Arguments& a) { a.offset = 8; }) == 1);
  CHECK(code([](Arguments& a) { a.offset = 16; }) == 0);
  for (const cuuint64_t extent : {0ull, 0x100000001ull})
    CHECK(code([&](Arguments& a) { a.extent[1] = extent; }) == 1);
  for (const cuuint64_t stride : {8ull, 24ull, 1ull << 40})
    CHECK(code([&](Arguments& a) { a.stride[0] = stride; }) == 1);
  CHECK(code([](Arguments& a) { a.stride[0] = 0; }) == 0);
  for (const cuuint32_t box : {0u, 4u, 12u, 257u}) CHECK(code([&](Arguments& a) { a.box[0] = box; }) == 1);
  for (const cuuint32_t step : {0u, 9u}) CHECK(code([&](Arguments& a) { a.step[1] = step; }) == 1);
  for (const int swizzle : {1, 4, 7}) CHECK(code([&](Arguments& a) { a.swizzle = swizzle; }) == 1);
  for (const int swizzle : {2, 3}) CHECK(code([&](Arguments& a) { a.swizzle = swizzle; }) == 0);
  CHECK(code([](Arguments& a) { a.fill = 1; }) == 1);
  CHECK(code([](Arguments& a) { a.fill = 1, a.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16; }) == 0);
  CHECK(code([](Arguments& a) { a.promotion = 4; }) == 1);
}
