# Adds a lesson to a copy of the tree, edits nothing else, and builds it: plugin, skeleton and solution must come out.
# Run by ctest with SOURCE, BUILD, GENERATOR, NVCC and CXX.

set(tree ${BUILD}/tests/add_lesson)
file(REMOVE_RECURSE ${tree})
file(MAKE_DIRECTORY ${tree}/lessons/90_fill ${tree}/solutions/90_fill)
foreach(part CMakeLists.txt cmake common simulator grader docs lessons/CMakeLists.txt)
  if(EXISTS ${SOURCE}/${part})
    file(CREATE_LINK ${SOURCE}/${part} ${tree}/${part} SYMBOLIC)
  endif()
endforeach()

file(WRITE ${tree}/lessons/90_fill/lesson.toml [[
title = "Fill"
summary = "writes one value into every element"
part = "Test"
prerequisites = []
[[rung]]
name = "1_plain"
summary = "one thread per element"
points = 1
hints = ["which element is mine?", "blockIdx.x * blockDim.x + threadIdx.x", "if (i < n) out[i] = value;"]
]])
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
file(WRITE ${tree}/lessons/90_fill/1_plain.cu "${head}${tail}")
file(WRITE ${tree}/solutions/90_fill/1_plain.cu "${head}${region}${tail}")

execute_process(COMMAND ${CMAKE_COMMAND} -S ${tree} -B ${tree}/build -G ${GENERATOR} -DLADDER_BUILD_TESTS=OFF
                        -DLADDER_NVCC=${NVCC} -DCMAKE_CXX_COMPILER=${CXX}
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${tree}/build --target fill_student fill_1_plain_solution
                COMMAND_ERROR_IS_FATAL ANY)
foreach(product lesson.so 1_plain.student.so 1_plain.solution.so)
  if(NOT EXISTS ${tree}/build/modules/90_fill/${product})
    message(FATAL_ERROR "the new lesson's ${product} was not built")
  endif()
endforeach()

# The runner of the real build grades the new lesson: the solution passes, the skeleton does not.
if(EXISTS ${BUILD}/bin/runner-sim)
  foreach(side student solution)
    execute_process(COMMAND ${BUILD}/bin/runner-sim --lesson ${tree}/build/modules/90_fill/lesson.so --check-only
                            --rung 1_plain=${tree}/build/modules/90_fill/1_plain.${side}.so
                    OUTPUT_VARIABLE events COMMAND_ERROR_IS_FATAL ANY)
    string(FIND "${events}" "\"outcome\":\"passed\"" passed)
    if((side STREQUAL solution AND passed EQUAL -1) OR (side STREQUAL student AND NOT passed EQUAL -1))
      message(FATAL_ERROR "the new lesson's ${side} got the wrong verdict:\n${events}")
    endif()
  endforeach()
endif()
file(REMOVE_RECURSE ${tree})
