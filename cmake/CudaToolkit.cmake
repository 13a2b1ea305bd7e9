# Finds nvcc, the toolkit's headers and, if there is one, libcudart.
#
# CMake's own CUDA language is not used: it wants a device link and a runtime library, and a module has neither.
# Sets LADDER_NVCC, LADDER_CUDA_INCLUDE, LADDER_CUDA_VERSION and, where found, LADDER_CUDART.

file(GLOB ladder_cuda_places LIST_DIRECTORIES true /usr/local/cuda-* /opt/cuda-*)
list(SORT ladder_cuda_places COMPARE NATURAL ORDER DESCENDING)
find_program(LADDER_NVCC nvcc
             HINTS $ENV{CUDA_HOME}/bin
             PATHS /usr/local/cuda /opt/cuda ${ladder_cuda_places} ${PROJECT_SOURCE_DIR}/.ladder/cuda
             PATH_SUFFIXES bin
             DOC "The CUDA compiler")
if(NOT LADDER_NVCC)
  message(FATAL_ERROR "nvcc was not found on PATH, in /usr/local/cuda*, /opt/cuda* or .ladder/cuda.\n"
                      "`./ladder demo` installs it into the checkout; or give its path with -DLADDER_NVCC=/path/to/nvcc.")
endif()

# Another nvcc than last time, such as after an update of the toolkit: what was found beside the old one is looked for anew.
if(NOT LADDER_NVCC STREQUAL "${LADDER_NVCC_BEFORE}")
  unset(LADDER_CUDA_INCLUDE CACHE)
  unset(LADDER_CUDART CACHE)
  unset(LADDER_CUBLAS CACHE)
endif()
set(LADDER_NVCC_BEFORE ${LADDER_NVCC} CACHE INTERNAL "The nvcc that the toolkit's files were found beside")

# nvcc may be a link or a wrapper; the toolkit is where the real one lies.
file(REAL_PATH ${LADDER_NVCC} ladder_nvcc_real)
cmake_path(GET ladder_nvcc_real PARENT_PATH ladder_nvcc_bin)
cmake_path(GET ladder_nvcc_bin PARENT_PATH LADDER_CUDA_ROOT)
string(TOLOWER ${CMAKE_SYSTEM_PROCESSOR} ladder_arch)
if(ladder_arch STREQUAL aarch64)
  set(ladder_arch sbsa)
endif()

find_path(LADDER_CUDA_INCLUDE cuda_runtime_api.h
          HINTS ${LADDER_CUDA_ROOT}/include ${LADDER_CUDA_ROOT}/targets/${ladder_arch}-linux/include
          DOC "Folder of cuda_runtime_api.h")
if(NOT LADDER_CUDA_INCLUDE)
  message(FATAL_ERROR "cuda_runtime_api.h was not found beside ${LADDER_NVCC}; is the toolkit complete?")
endif()

file(STRINGS ${LADDER_CUDA_INCLUDE}/cuda_runtime_api.h ladder_cudart_version REGEX "^#define CUDART_VERSION +[0-9]+")
string(REGEX MATCH "[0-9]+" ladder_cudart_version "${ladder_cudart_version}")
math(EXPR ladder_cuda_major "${ladder_cudart_version} / 1000")
math(EXPR ladder_cuda_minor "${ladder_cudart_version} % 1000 / 10")
set(LADDER_CUDA_VERSION ${ladder_cuda_major}.${ladder_cuda_minor})
if(LADDER_CUDA_VERSION VERSION_LESS 12.4)
  message(WARNING "CUDA ${LADDER_CUDA_VERSION} is older than what this course is tested with (13.0).")
endif()

# Beside nvcc; elsewhere only what bears this release's number, for a machine may have several toolkits.
set(ladder_cuda_lib ${LADDER_CUDA_ROOT}/lib64 ${LADDER_CUDA_ROOT}/lib ${LADDER_CUDA_ROOT}/targets/${ladder_arch}-linux/lib)
find_library(LADDER_CUDART NAMES cudart libcudart.so.${ladder_cuda_major} PATHS ${ladder_cuda_lib} NO_DEFAULT_PATH
             DOC "The real CUDA runtime, for runner-gpu")
find_library(LADDER_CUDART NAMES libcudart.so.${ladder_cuda_major})
find_library(LADDER_CUBLAS NAMES cublas libcublas.so.${ladder_cuda_major} PATHS ${ladder_cuda_lib} NO_DEFAULT_PATH
             DOC "cuBLAS, for some of the library rows of a ladder")
find_library(LADDER_CUBLAS NAMES libcublas.so.${ladder_cuda_major})

# What is compiled follows the device: the GPU at hand; where there is none, the H200 that the simulator has by default.
# The simulator runs no code for newer GPUs than that, and these run the code of older ones.
find_program(LADDER_NVIDIA_SMI nvidia-smi)
set(ladder_gpu_arch 90)
if(LADDER_NVIDIA_SMI)
  execute_process(COMMAND ${LADDER_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE ladder_caps ERROR_QUIET RESULT_VARIABLE ladder_smi_status)
  if(ladder_smi_status EQUAL 0 AND ladder_caps MATCHES "^([0-9]+)\\.([0-9]+)")
    set(ladder_gpu_arch ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
  endif()
endif()
set(ladder_device_arch ${ladder_gpu_arch})
if(ladder_device_arch GREATER 90)
  set(ladder_device_arch 90)
endif()
set(LADDER_ARCH "" CACHE STRING "Virtual architecture of the modules, such as 80 or 90a; empty: what the device has")
unset(LADDER_CUDA_ARCH CACHE) # as it was called when it was 75 everywhere
if(LADDER_ARCH)
  set(LADDER_CUDA_ARCH ${LADDER_ARCH})
else()
  set(LADDER_CUDA_ARCH ${ladder_device_arch})
endif()
set(LADDER_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER} CACHE FILEPATH "Host compiler that nvcc calls")

# The headers alone, for code that is compiled by the host compiler.
add_library(ladder_cuda_headers INTERFACE)
add_library(ladder::cuda_headers ALIAS ladder_cuda_headers)
target_include_directories(ladder_cuda_headers SYSTEM INTERFACE ${LADDER_CUDA_INCLUDE})

message(STATUS "CUDA ${LADDER_CUDA_VERSION}: ${LADDER_NVCC}")
if(NOT LADDER_CUDART)
  message(STATUS "libcudart: not found; runner-gpu is left out, the simulator does not need it")
endif()
