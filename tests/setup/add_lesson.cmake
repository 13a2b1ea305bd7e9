# Adds a lesson to a copy of the tree, edits nothing else, and builds it: plugin, skeleton and solution must come out.
# Run by ctest with SOURCE, BUILD, GENERATOR, NVCC and CXX.

set(tree ${BUILD}/tests/add_lesson)
file(REMOVE_RECURSE ${tree})
file(MAKE_DIRECTORY ${tree}/lessons/90_fill ${tree}/solutions/90_fill)
foreach(part CMakeLists.txt cmake common language simulator grader docs lessons/CMakeLists.txt)
  if(EXISTS ${SOURCE}/${part})
    file(CREATE_LINK ${SOURCE}/${part} ${tree}/${part} SYMBOLIC)
  endif()
endforeach()

file(WRITE ${tree}/lessons/90_fill/lesson.toml [=[
title = "Fill"
summary = "writes one value into every element"
part = "Test"
prerequisites = []
[[rung]]
name = "1_plain"
summary = "one thread per element"
points = 1
hints = ["which element is mine?", "blockIdx.x * blockDim.x + threadIdx.x", "if (i < n) out[i] = value;"]
[[rung]]
name = "2_blank_page"
summary = "0, 1, 2 and so on, from an empty file"
points = 1
hints = ["write a kernel, and the function that launches it"]
]=])
file(WRITE ${tree}/lessons/90_fill/fill.h [[
#pragma once
#include <cuda_runtime_api.h>
/// Writes @p value into out[0 .. n).
cudaError_t fill(float* out, float value, int n);
]])
file(WRITE ${tree}/lessons/90_fill/fill.cpp [[
#include "fill.h"
#include "grader/lesson/lesson.h"

namespace {
class Fill : public ladder::Lesson {
 public:
  std::vector<ladder::Case> cases(ladder::DeviceKind) const override { return {{.extents = {{"n", 100}}, .variant = {}}}; }
  void declare(ladder::Problem& problem, ladder::Random&) const override {
    problem.output<float>("out", {problem.which()["n"]});
  }
  void reference(ladder::Problem& problem) const override {
    for (double& value : problem.expect("out", {})) value = 3;
  }
  ladder::Work work(const ladder::Case& which) const override { return {.bytes_written = 4.0 * which["n"]}; }
  cudaError_t launch(const ladder::Case& which, const ladder::Arguments& arguments) override {
    return fill(arguments.get<float>("out"), 3, static_cast<int>(which["n"]));
  }
};
}  // namespace
LADDER_LESSON(Fill)
]])
set(head [[
// Rung 1: one thread per element.
#include "fill.h"

__global__ void fill_kernel(float* out, float value, int n) {
  // TODO(1): write the element of this thread (2 lines).
]])
set(region [[
  // BEGIN SOLUTION
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value;
  // END SOLUTION
]])
set(tail [[
}

cudaError_t fill(float* out, float value, int n) {
  fill_kernel<<<(n + 127) / 128, 128>>>(out, value, n);
  return cudaGetLastError();
}
]])
# Another problem of the same idea, with nothing but its contract.
file(WRITE ${tree}/lessons/90_fill/blank_page.h [[
#pragma once
#include <cuda_runtime_api.h>
/// out[i] = i for i in [0, n).
cudaError_t iota(int* out, int n);
]])
file(WRITE ${tree}/lessons/90_fill/blank_page.cpp [[
#include "blank_page.h"
#include "grader/lesson/lesson.h"

namespace {
class Iota : public ladder::Lesson {
 public:
  std::vector<ladder::Case> cases(ladder::DeviceKind) const override { return {{.extents = {{"n", 77}}, .variant = {}}}; }
  void declare(ladder::Problem& problem, ladder::Random&) const override {
    problem.output<int>("out", {problem.which()["n"]});
  }
  void reference(ladder::Problem& problem) const override {
    double next = 0;
    for (double& value : problem.expect("out", {})) value = next++;
  }
  ladder::Work work(const ladder::Case& which) const override { return {.bytes_written = 4.0 * which["n"]}; }
  cudaError_t launch(const ladder::Case& which, const ladder::Arguments& arguments) override {
    return iota(arguments.get<int>("out"), static_cast<int>(which["n"]));
  }
};
}  // namespace
LADDER_LESSON(Iota)
]])
set(page [[
// The blank page: see blank_page.h.
#include "blank_page.h"

// TODO(1): all of it.
]])
set(page_solution [[
// BEGIN SOLUTION
__global__ void iota_kernel(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i;
}

cudaError_t iota(int* out, int n) {
  iota_kernel<<<(n + 127) / 128, 128>>>(out, n);
  return cudaGetLastError();
}
// END SOLUTION
]])
file(WRITE ${tree}/lessons/90_fill/2_blank_page.cu "${page}")
file(WRITE ${tree}/solutions/90_fill/2_blank_page.cu "${page}${page_solution}")
file(WRITE ${tree}/lessons/90_fill/1_plain.cu "${head}${tail}")
file(WRITE ${tree}/solutions/90_fill/1_plain.cu "${head}${region}${tail}")

execute_process(COMMAND ${CMAKE_COMMAND} -S ${tree} -B ${tree}/build -G ${GENERATOR} -DLADDER_BUILD_TESTS=OFF
                        -DLADDER_NVCC=${NVCC} -DCMAKE_CXX_COMPILER=${CXX}
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${tree}/build --target fill_student fill_solution
                COMMAND_ERROR_IS_FATAL ANY)
foreach(product lesson.so blank_page.so 1_plain.student.so 1_plain.solution.so 2_blank_page.student.so 2_blank_page.solution.so)
  if(NOT EXISTS ${tree}/build/modules/90_fill/${product})
    message(FATAL_ERROR "the new lesson's ${product} was not built")
  endif()
endforeach()

# The runner of the real build grades the new lesson, both rungs at once: solutions pass, skeletons do not.
if(EXISTS ${BUILD}/bin/runner-sim)
  set(built ${tree}/build/modules/90_fill)
  foreach(side student solution)
    execute_process(COMMAND ${BUILD}/bin/runner-sim --lesson ${built}/lesson.so --check-only
                            --rung 1_plain=${built}/1_plain.${side}.so --rung 2_blank_page=${built}/2_blank_page.${side}.so
                    OUTPUT_VARIABLE events COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "\"outcome\":\"passed\"" passed "${events}")
    list(LENGTH passed passed)
    if((side STREQUAL solution AND NOT passed EQUAL 2) OR (side STREQUAL student AND NOT passed EQUAL 0))
      message(FATAL_ERROR "the new lesson's ${side} got the wrong verdict:\n${events}")
    endif()
  endforeach()
  if(NOT events MATCHES "n=77")
    message(FATAL_ERROR "the blank page was not held to its own cases:\n${events}")
  endif()
endif()
file(REMOVE_RECURSE ${tree})
