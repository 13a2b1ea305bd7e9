// Measures wgmma on a GPU of compute capability 9.0, for simulator/model/gpus/*.h: clocks of one product that
// is waited for, and of each of many behind one another.
//   nvcc -O3 -std=c++20 -gencode arch=compute_90a,code=sm_90a tests/simulator/model/measure_wgmma.cu -lcuda
//   -o measure_wgmma for i in $(seq 0 15); do ./measure_wgmma $i 16 > /dev/null & done; wait      # the
//   driver keeps what it compiles
//   ./measure_wgmma
#include <cuda.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call)                               \
  if (const CUresult e = call; e != CUDA_SUCCESS) \
  std::fprintf(stderr, "%s:%d: %d\n", __FILE__, __LINE__, int(e)), std::exit(1)

namespace {

constexpr int kSteps = 512, kShared = 196608;

struct Form {
  const char* name;    ///< of the types in PTX: d.a.b
  int depth;           ///< k of the shape
  bool whole = false;  ///< of whole numbers: no signs, no majors
  bool halves = false;
};
constexpr Form kForms[] = {{"f32.f16.f16", 16, false, true},
                           {"f16.f16.f16", 16, false, true},
                           {"f32.tf32.tf32", 8},
                           {"f32.e4m3.e4m3", 32},
                           {"s32.s8.s8", 32, true}};

struct Experiment {
  Form form;
  int columns = 0;
  bool registers = false;  ///< a's
  bool waits = false;      ///< for each product, before the next one begins
  bool sparse = false;     ///< a holds half of its elements: twice the depth
  bool swizzled = true;    ///< 128 bytes; else none
};

std::string list(const std::string& letter, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i ? ", %" : "%") + letter + std::to_string(i);
  return text + "}";
}

/// All warpgroups of a block read the same tiles; block b writes the clocks of its first warp to out[b].
std::string ptx_of(const Experiment& e) {
  const int sums = e.form.name[0] == 'f' && e.form.name[1] == '1' ? e.columns / 4 : e.columns / 2;
  std::string product = std::string("  wgmma.mma_async") + (e.sparse ? ".sp" : "") + ".sync.aligned.m64n" +
                        std::to_string(e.columns) + "k" + std::to_string(e.form.depth * (e.sparse ? 2 : 1)) +
                        "." + e.form.name + " " + list("d", sums) + ", " +
                        (e.registers ? list("a", 4) : "%da") + ", %db, " + (e.sparse ? "%meta, 0, " : "") +
                        "1";
  if (!e.form.whole) product += ", 1, 1";
  if (e.form.halves) product += e.registers ? ", 0" : ", 0, 0";
  product += ";\n";
  // K-major rows of 128 bytes, swizzled, or core matrices of 128 bytes behind one another.
  const std::string layout = std::to_string(e.swizzled ? 1ull << 62 | 1024ull / 16 << 32 | 1ull << 16
                                                       : 256ull / 16 << 32 | 128ull / 16 << 16);
  std::string text =
      ".version 8.2\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 tiles[];\n"
      ".visible .entry k(.param .u64 out)\n{\n  .reg .pred %p;\n  .reg .b32 %i, %x, %meta, %a<4>, %d<128>;\n"
      "  .reg .b64 %o, %da, %db, %from, %to;\n  mov.u32 %meta, 0x44444444;\n  mov.u32 %x, tiles;\n"
      "  bfe.u32 %x, %x, 4, 14;\n  cvt.u64.u32 %da, %x;\n  or.b64 %da, %da, " +
      layout + ";\n  add.u64 %db, %da, " + std::to_string(32768 / 16) + ";\n";
  for (int i = 0; i < 4; ++i) text += "  mov.b32 %a" + std::to_string(i) + ", 0;\n";
  for (int i = 0; i < sums; ++i) text += "  mov.b32 %d" + std::to_string(i) + ", 0;\n";
  const std::string commit = "  wgmma.commit_group.sync.aligned;\n",
                    wait = "  wgmma.wait_group.sync.aligned ";
  const std::string turn = e.waits ? "  wgmma.fence.sync.aligned;\n" + product + commit + wait + "0;\n"
                                   : product + product + commit + wait + "1;\n";
  text +=
      "  mov.u32 %i, 0;\n  bar.sync 0;\n  mov.u64 %from, %clock64;\n  wgmma.fence.sync.aligned;\n$again:\n" +
      turn + "  add.u32 %i, %i, " + (e.waits ? "1" : "2") + ";\n  setp.lt.u32 %p, %i, " +
      std::to_string(kSteps) + ";\n  @%p bra $again;\n" + wait +
      "0;\n  mov.u64 %to, %clock64;\n"
      "  sub.u64 %to, %to, %from;\n  ld.param.u64 %o, [out];\n  mov.u32 %x, %ctaid.x;\n"
      "  mad.wide.u32 %o, %x, 8, %o;\n  mov.u32 %x, %tid.x;\n  setp.eq.u32 %p, %x, 0;\n"
      "  @%p st.global.u64 [%o], %to;\n  mov.u32 %x, 0;\n";
  for (int i = 0; i < sums; ++i) text += "  or.b32 %x, %x, %d" + std::to_string(i) + ";\n";
  return text + "  setp.eq.u32 %p, %x, 12345;\n  @%p st.global.u32 [%o], %x;\n  ret;\n}\n";
}

/// Clocks of a product, of the slowest of @p blocks blocks.
double clocks_of(const Experiment& e, int blocks, int warpgroups, CUdeviceptr out) {
  CUmodule module;
  CUfunction kernel;
  const std::string ptx = ptx_of(e);
  char log[4096] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  if (cuModuleLoadDataEx(&module, ptx.c_str(), 2, options, values) != CUDA_SUCCESS)
    return std::printf("%s\n", log), -1;
  CHECK(cuModuleGetFunction(&kernel, module, "k"));
  CHECK(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kShared));
  void* arguments[] = {&out};
  std::vector<unsigned long long> clocks(static_cast<std::size_t>(blocks));
  unsigned long long best = ~0ull;
  for (int run = 0; run < 3; ++run) {
    if (cuLaunchKernel(kernel, unsigned(blocks), 1, 1, unsigned(128 * warpgroups), 1, 1, kShared, nullptr,
                       arguments, nullptr) != CUDA_SUCCESS)
      return -1;  // too many registers
    CHECK(cuMemcpyDtoH(clocks.data(), out, clocks.size() * 8));
    best = std::min(best, *std::max_element(clocks.begin(), clocks.end()));
  }
  CHECK(cuModuleUnload(module));
  return double(best) / kSteps;
}

}  // namespace

/// @param argv  I and N: only every Nth experiment from the Ith on
int main(int argc, char** argv) {
  const int own = argc == 3 ? std::atoi(argv[1]) : 0, of = argc == 3 ? std::atoi(argv[2]) : 1;
  int number = 0;
  CUdevice device;
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  int sms = 0;
  char name[100];
  CHECK(cuDeviceGetName(name, sizeof name, device));
  CHECK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
  CUdeviceptr out;
  CHECK(cuMemAlloc(&out, 8 * std::size_t(sms)));
  std::printf("%s\nform;columns;a;sparse;swizzle;clocks of one waited for;", name);
  std::printf("clocks of one of many: 1 warpgroup;2 warpgroups;3 warpgroups;2 warpgroups on all SMs;");
  std::printf("multiplications per SM and clock\n");
  const auto measure = [&](Experiment e) {
    if (number++ % of != own) return;
    e.waits = true;
    const double alone = e.sparse || !e.swizzled ? -1 : clocks_of(e, 1, 1, out);
    e.waits = false;
    const double all = clocks_of(e, sms, 2, out);
    std::printf("%s;%d;%s;%d;%d;%.1f;%.1f;%.1f;%.1f;%.1f;%.0f\n", e.form.name, e.columns,
                e.registers ? "registers" : "shared", int(e.sparse), e.swizzled ? 128 : 0, alone,
                clocks_of(e, 1, 1, out), clocks_of(e, 1, 2, out), clocks_of(e, 1, 3, out), all,
                2 * 64.0 * e.columns * e.form.depth * (e.sparse ? 2 : 1) / all);
    std::fflush(stdout);
  };
  for (const int columns : {8, 16, 32, 64, 96, 128, 192, 256}) measure({kForms[0], columns});
  for (const int columns : {8, 64, 128, 256}) {
    measure({.form = kForms[0], .columns = columns, .registers = true});
    measure({.form = kForms[0], .columns = columns, .sparse = true});
    measure({.form = kForms[0], .columns = columns, .swizzled = false});
  }
  for (std::size_t form = 1; form < std::size(kForms); ++form)
    for (const int columns : {64, 256}) measure({kForms[form], columns});
}
