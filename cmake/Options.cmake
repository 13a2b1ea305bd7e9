# Build-wide choices: language, warnings, optimisation, sanitizers, and where the products go.

option(LADDER_BUILD_TESTS "Build the Catch2 test-suite" ON)
option(LADDER_NATIVE "Compile the simulator for this machine's CPU (-march=native)" ON)
set(LADDER_MARCH "" CACHE STRING "Compile the simulator for these CPUs instead, such as x86-64-v3")
option(LADDER_WERROR "Treat compiler warnings as errors" OFF)
option(LADDER_FUZZ "Build the libFuzzer targets, and everything with their sanitizers (clang only)" OFF)
set(LADDER_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()

# `ladder` looks for everything it runs below these three folders of the build tree.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(LADDER_MODULE_DIR ${CMAKE_BINARY_DIR}/modules)

# What every target of the project is compiled with; third-party code is not.
add_library(ladder_options INTERFACE)
target_include_directories(ladder_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(ladder_options INTERFACE -Wall -Wextra)
# The simulator promises IEEE results, and a reference is the same on every machine: a*b+c is one fma only where it says so.
target_compile_options(ladder_options INTERFACE -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(ladder_options INTERFACE -Wno-restrict) # false alarms on "text" + string (GCC bug 105651)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # gcc looks for garbage when its heap has this many kB. By itself it begins at an eighth of the memory, 128 MB at most,
  # which several sources in one call pass many times: 5 to 13 % of the time. More makes the largest call larger than a GB.
  target_compile_options(ladder_options INTERFACE --param=ggc-min-heapsize=450000)
endif()
if(LADDER_WERROR)
  target_compile_options(ladder_options INTERFACE -Werror)
endif()

# What runs kernels is compiled for the CPU at hand.
add_library(ladder_simulator_options INTERFACE)
target_link_libraries(ladder_simulator_options INTERFACE ladder_options)
if(LADDER_MARCH)
  target_compile_options(ladder_simulator_options INTERFACE -march=${LADDER_MARCH})
elseif(LADDER_NATIVE)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-march=native LADDER_HAS_MARCH_NATIVE)
  if(LADDER_HAS_MARCH_NATIVE)
    target_compile_options(ladder_simulator_options INTERFACE -march=native)
  endif()
endif()

# ladder_quick_to_compile(target [level]): for code that never waits for the CPU, where a student's first build counts for
# more than its speed; level 1, or 0 where all it does takes milliseconds.
function(ladder_quick_to_compile target)
  set(level 1)
  if(ARGC GREATER 1)
    set(level ${ARGV1})
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O${level}>)
endfunction()

# Not with LADDER_NATIVE on a CPU with AVX-512: some releases of gcc align the sanitizer's stack frames to 32 bytes there
# and write them with instructions that need 64 (GCC bug 110027).
if(LADDER_SANITIZE)
  add_compile_options(-fsanitize=${LADDER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${LADDER_SANITIZE})
endif()

if(LADDER_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "LADDER_FUZZ needs clang: -DCMAKE_CXX_COMPILER=clang++")
  endif()
  # Checked loops do not vectorise, which clang would say of each.
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
                      -Wno-pass-failed)
  add_link_options(-fsanitize=address,undefined)
endif()
