// Module scope of the PTX parser: directives, variables with initialisers, functions' heads.
#include <stdlib.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "simulator/ptx/program.h"

using namespace sim::ptx;

namespace {

Module parsed(const std::string& text) {
  return parse(".version 8.4\n.target sm_80\n.address_size 64\n" + text);
}

}  // namespace

TEST_CASE("the head of a PTX file gives version and target") {
  const Module module = parse("//\n// comment\n.version 9.0\n.target sm_75, debug\n.address_size 64\n");
  CHECK(module.version_major == 9);
  CHECK(module.version_minor == 0);
  CHECK(module.target == "sm_75");
}

TEST_CASE("NUL bytes at the end of PTX are padding") {
  CHECK(parse(std::string(".version 8.0\n.target sm_80\n\0\0\0\0", 32)).target == "sm_80");
}

TEST_CASE("global variables carry space, type, alignment, size and initial bytes") {
  const Module module = parsed(R"(
.visible .global .align 4 .u32 counter = 7;
.const .align 4 .b8 table[8] = {0, 0, 128, 63, 255};
.global .attribute(.managed) .align 4 .u32 shared_with_host;
.global .f32 half[2] = {0f3F000000, -0f3F000000};
.global .f64 pi = 0d400921FB54442D18;
.global .s16 matrix[2][3] = {{1, -2, 3}, {4, 5, 6}};
.extern .shared .align 16 .b8 dynamic[];
.global .b8 text[] = {104, 105, 0};
.global .align 16 .v4 .f32 quad;
)");
  REQUIRE(module.variables.size() == 9);
  const auto& v = module.variables;
  CHECK(v[0].name == "counter");
  CHECK(v[0].initial == std::vector<std::uint8_t>{7, 0, 0, 0});
  CHECK(v[1].space == Space::constant);
  CHECK(v[1].size == 8);
  CHECK(v[1].initial == std::vector<std::uint8_t>{0, 0, 128, 63, 255});
  CHECK(v[2].managed);
  CHECK(v[2].initial.empty());
  CHECK(v[3].initial == std::vector<std::uint8_t>{0, 0, 0, 0x3F, 0, 0, 0, 0xBF});
  CHECK(v[4].initial[7] == 0x40);
  CHECK(v[5].size == 12);
  CHECK(v[5].initial[2] == 0xFE);
  CHECK(v[5].initial[3] == 0xFF);
  CHECK(v[6].is_extern);
  CHECK(v[6].space == Space::shared);
  CHECK(v[6].size == 0);
  CHECK(v[6].align == 16);
  CHECK(v[7].size == 3);
  CHECK(v[8].size == 16);
}

TEST_CASE("initialisers may hold addresses of functions and variables") {
  const Module module = parsed(R"(
.global .u32 counter;
.func (.param .b32 r) twice (.param .b32 x) { ret; }
.global .align 8 .u64 mixed[4] = {97, twice, generic(counter), counter+8};
.global .align 8 .b8 packed[10] = {1, 2, 0xFF(generic(counter)+4), 0xFF00(generic(counter)+4),
  0xFF0000(generic(counter)+4), 0xFF000000(generic(counter)+4), 0xFF00000000(generic(counter)+4),
  0xFF0000000000(generic(counter)+4), 0xFF000000000000(generic(counter)+4), 0xFF00000000000000(generic(counter)+4)};
)");
  const Variable& mixed = module.variables[1];
  REQUIRE(mixed.relocations.size() == 3);
  CHECK(mixed.initial[0] == 97);
  CHECK(mixed.relocations[0].at == 8);
  CHECK(mixed.relocations[0].symbol == "twice");
  CHECK_FALSE(mixed.relocations[0].generic);
  CHECK(mixed.relocations[1].generic);
  CHECK(mixed.relocations[2].addend == 8);
  const Variable& packed = module.variables[2];
  REQUIRE(packed.relocations.size() == 1);
  CHECK(packed.relocations[0].at == 2);
  CHECK(packed.relocations[0].addend == 4);
  CHECK(packed.relocations[0].size == 8);
}

TEST_CASE("an entry's head gives parameters and launch bounds") {
  const Module module = parsed(R"(
.visible .entry kernel(
  .param .u64 .ptr .global .align 16 kernel_param_0,
  .param .align 8 .b8 kernel_param_1[40],
  .param .u32 kernel_param_2
)
.maxntid 16, 16, 1
.minnctapersm 2
.explicitcluster
.reqnctapercluster 2, 2
.pragma "something";
{ ret; }
)");
  const Function* kernel = module.find("kernel");
  REQUIRE(kernel);
  CHECK(kernel->is_entry);
  REQUIRE(kernel->params.size() == 3);
  CHECK(kernel->params[0].size == 8);
  CHECK(kernel->params[0].align == 8);
  CHECK(kernel->params[1].size == 40);
  CHECK(kernel->params[2].space == Space::param);
  CHECK(kernel->max_threads == 256);
  CHECK(kernel->min_blocks_per_sm == 2);
  CHECK(kernel->cluster == std::array<std::uint32_t, 3>{2, 2, 1});
}

TEST_CASE("a thread has as many registers as leave room for the blocks of the launch bounds, one at least") {
  const auto registers = [](const char* bounds) {
    const Module module = parsed(".visible .entry kernel()\n" + std::string(bounds) + "\n{ ret; }\n");
    return module.find("kernel")->registers_by_bounds();
  };
  CHECK(registers("") == 0);
  CHECK(registers(".maxnreg 40") == 40);
  CHECK(registers(".maxntid 384") == 168);
  CHECK(registers(".maxntid 320") == 168);  // ten warps: three on two of the schedulers
  CHECK(registers(".maxntid 128") == 255);
  CHECK(registers(".maxntid 256\n.minnctapersm 2") == 128);
  CHECK(registers(".maxntid 1024\n.minnctapersm 2") == 32);
}

TEST_CASE("declarations are told from definitions, and a definition wins") {
  const Module module = parsed(R"(
.extern .func (.param .b32 func_retval0) vprintf (.param .b64 a, .param .b64 b);
.func later ();
.visible .func later () .noreturn { ret; }
)");
  CHECK(module.find("vprintf")->is_declaration);
  CHECK(module.find("vprintf")->results.size() == 1);
  CHECK_FALSE(module.find("later")->is_declaration);
  CHECK(module.find("nothing") == nullptr);
}

TEST_CASE("an alias is a second name of a function") {
  const Module module = parsed(".func f () { ret; }\n.func g ();\n.alias g, f;\n");
  REQUIRE(module.find("g"));
  CHECK(module.find("g")->body.size() == 1);
}

TEST_CASE("sections and debug information are skipped") {
  const Module module = parsed(R"(
.file 1 "/home/me/a.cu", 123, 456
.section .debug_info { .b32 4242; .b8 2; .b64 func_begin; { } }
.entry k() { ret; }
)");
  CHECK(module.files.at(1) == "/home/me/a.cu");
  CHECK(module.find("k"));
}

TEST_CASE("locations lead out of the toolkit's headers to the user's line") {
  const Module module = parsed(R"(
.entry k() {
  .reg .b32 %r<2>;
  .loc 1 20 3
  mov.b32 %r1, 0;
  .loc 2 100 7, function_name $L__info_string0, inlined_at 1 20 3
  mov.b32 %r1, 1;
  .loc 2 50 1, function_name $L__info_string1+2, inlined_at 2 100 7
  mov.b32 %r1, 2;
  .loc 1 30 1, function_name $L__info_string0, inlined_at 1 21 1
  ret;
}
.file 1 "/home/me/a.cu"
.file 2 "/usr/local/cuda-13.0/bin/../targets/x86_64-linux/include/cuda_fp16.hpp"
.section .debug_str {
$L__info_string0:
.b8 95,90,49
.b8 102,0
$L__info_string1:
.b8 95,95,103,0
}
)");
  const auto& body = module.find("k")->body;
  CHECK(user_location(module, body[0].location).line == 20);
  CHECK(user_location(module, body[1].location).line == 20);
  CHECK(module.locations[body[1].location].function == "_Z1f");
  CHECK(user_location(module, body[2].location).line == 20);
  CHECK(module.locations[body[2].location].function == "g");
  CHECK(user_location(module, body[3].location).line == 30);
  CHECK(user_location(module, -1).file == 0);
}

TEST_CASE("toolkit files are told from the user's") {
  CHECK(is_toolkit_file("/usr/local/cuda-13.0/include/cccl/cub/util_device.cuh"));
  CHECK(is_toolkit_file("/usr/local/cuda/include/sm_30_intrinsics.hpp"));
  CHECK(is_toolkit_file("/home/nvidia/x/.tools/nvidia/cu13/include/cuda_fp16.h"));
  CHECK(is_toolkit_file("/opt/cuda-12.4/bin/../targets/x86_64-linux/include/mma.hpp"));
  CHECK_FALSE(is_toolkit_file("/home/me/cuda-ladder/lessons/05_transpose/1_naive.cu"));
  CHECK_FALSE(is_toolkit_file("/home/nvidia/cuda-course/include/mine.cuh"));
  CHECK_FALSE(is_toolkit_file("a.cu"));
}

TEST_CASE(
    "a file that is here is the toolkit's where the toolkit lies, and the user's whatever its folder is "
    "called") {
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / "ladder-toolkit-XXXXXX").string();
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const auto file = [&](const std::string& name) {
    fs::create_directories((fs::path(folder) / name).parent_path());
    std::ofstream(fs::path(folder) / name) << "\n";
    return folder + "/" + name;
  };
  file("course/.ladder/cuda/bin/nvcc");
  file("course/.ladder/cuda/include/cuda_runtime_api.h");
  file("course/.ladder/cuda/include/device_types.h");
  file("course/.ladder/cuda/include/device_atomic_functions.hpp");
  file("course/.ladder/cuda/include/cccl/cub/block/block_scan.cuh");
  CHECK(is_toolkit_file(folder + "/course/.ladder/cuda/bin/../include/device_atomic_functions.hpp"));
  CHECK(is_toolkit_file(folder + "/course/.ladder/cuda/include/cccl/cub/block/block_scan.cuh"));
  CHECK_FALSE(is_toolkit_file(file("course/lessons/05_transpose/1_naive.cu")));
  CHECK_FALSE(is_toolkit_file(file("cuda/include/mine.cuh")));
  CHECK_FALSE(is_toolkit_file(file("nvidia/cu13/include/cub/mma.h")));
  fs::remove_all(folder);
}
