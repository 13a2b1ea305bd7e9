# One .cu file -> one module: a shared object whose CUDA runtime stays undefined, for runner-sim or runner-gpu to fill in.

# What both builds of a rung are compiled with.
set(LADDER_RUNG_FLAGS -O3 -std=c++17 -Xcompiler -fPIC -ccbin ${LADDER_CUDA_HOST_COMPILER} -I${PROJECT_SOURCE_DIR})

# The flags of the fast build, kept in one list so that `ladder` (through toolchain.json) compiles exactly the same way.
set(LADDER_MODULE_FLAGS
    -gencode arch=compute_${LADDER_CUDA_ARCH},code=compute_${LADDER_CUDA_ARCH} # PTX only: the simulator reads it, a driver compiles it
    --no-compress            # PTX as plain text
    -lineinfo -shared -cudart none
    # Lines of host code, and every call a call: a wrong cudaMemcpy() is told with its line. 1 % of the time, 4 kB a module.
    # The folder would be noted in the preprocessor's output, which has to be that of the check build.
    -Xcompiler -g1 -Xcompiler -gdwarf-5 -Xcompiler -fno-working-directory -Xcompiler -fno-optimize-sibling-calls
    ${LADDER_RUNG_FLAGS})

# The check build: PTX in which every access of the source is still there, for the simulator to look for findings in. The
# optimiser deletes dead accesses and merges racing stores; -Xcicc -O0 keeps most and deletes loads whose value goes
# unused; -G keeps all, has scalars in registers nevertheless, and says where code was inlined. -G defines
# __CUDACC_DEBUG__, by which a source could be another program here than in the fast build.
set(LADDER_CHECK_FLAGS
    -gencode arch=compute_${LADDER_CUDA_ARCH},code=compute_${LADDER_CUDA_ARCH}
    -G -Xcompiler -U__CUDACC_DEBUG__ -w -ptx
    ${LADDER_RUNG_FLAGS})

set(LADDER_NVCC_SCRIPT ${PROJECT_SOURCE_DIR}/cmake/nvcc.sh)

# Baselines are library code (CUB, cuBLAS) that picks its tuning by the architecture it was compiled for, so they are
# compiled for the GPU at hand, however new; where there is none, for the newest the course names.
set(LADDER_BASELINE_ARCH ${ladder_gpu_arch} CACHE STRING "Architecture of the library baselines")

# The virtual architecture for a rung: LADDER_CUDA_ARCH, or more if lesson.toml says that it needs a higher compute
# capability, for then it may use instructions that lower architectures lack. There, `compute_capability` follows the
# rung's `name`.
function(ladder_rung_arch folder rung result)
  set(arch ${LADDER_CUDA_ARCH})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/lesson.toml)
  file(STRINGS ${folder}/lesson.toml lines REGEX "^(name|compute_capability) *= *\"")
  foreach(line IN LISTS lines)
    if(line MATCHES "^name *= *\"([^\"]*)\"")
      set(name ${CMAKE_MATCH_1})
    elseif(name STREQUAL rung AND line MATCHES "\"([0-9]+)\\.([0-9]+)(a?)\"")
      set(needed ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
      set(letter ${CMAKE_MATCH_3}) # 9.0a: instructions that no other architecture has
      string(REGEX MATCH "^[0-9]+" number ${arch})
      if(needed GREATER number OR (letter AND needed EQUAL number))
        set(arch ${needed}${letter})
      endif()
    endif()
  endforeach()
  set(${result} ${arch} PARENT_SCOPE)
endfunction()

# ladder_cuda_module(name SOURCE file OUTPUT file LESSON dir [RUNG rung | ARCH 90] [BASELINE] [CHECK])
# Adds target `name`, not part of `all`, that compiles one .cu into a module, for the architecture that RUNG of the
# lesson needs, or for ARCH. It is rebuilt when the file or anything it includes changes (nvcc writes the dependency file).
# CHECK: also its check build, x.check.ptx beside x.so, of the same preprocessed text: nvcc.sh makes both.
function(ladder_cuda_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "BASELINE;CHECK" "SOURCE;OUTPUT;LESSON;RUNG;ARCH" "")
  set(flags ${LADDER_MODULE_FLAGS})
  set(arch ${LADDER_CUDA_ARCH})
  if(arg_ARCH)
    set(arch ${arg_ARCH})
  elseif(arg_RUNG)
    ladder_rung_arch(${arg_LESSON} ${arg_RUNG} arch)
  endif()
  if(NOT arch STREQUAL LADDER_CUDA_ARCH)
    list(TRANSFORM flags REPLACE "^arch=.*" "arch=compute_${arch},code=compute_${arch}")
  endif()
  if(arg_BASELINE)
    list(TRANSFORM flags REPLACE "^arch=.*" "arch=compute_${LADDER_BASELINE_ARCH},code=sm_${LADDER_BASELINE_ARCH}")
    ladder_baseline_libraries(${arg_SOURCE} libraries)
  endif()
  cmake_path(GET arg_OUTPUT PARENT_PATH folder)
  cmake_path(GET arg_SOURCE FILENAME file)
  file(MAKE_DIRECTORY ${folder})
  ladder_record_for_clangd(${arg_SOURCE} ${arg_LESSON} ${arch})
  set(products ${arg_OUTPUT})
  set(how ${LADDER_MODULE_DIR}/headers/ --shake $<TARGET_FILE:ladder-shake>) # that compilers read from
  set(shake ladder-shake)
  if(arg_BASELINE)
    set(how -)
    set(shake)
  endif()
  set(check)
  if(arg_CHECK)
    set(check ${LADDER_CHECK_FLAGS})
    list(TRANSFORM check REPLACE "^arch=.*" "arch=compute_${arch},code=compute_${arch}")
    cmake_path(REPLACE_EXTENSION arg_OUTPUT LAST_ONLY check.ptx OUTPUT_VARIABLE ptx)
    list(APPEND products ${ptx})
    set(check --check ${LADDER_NVCC} ${check} -I${arg_LESSON} ${arg_SOURCE} -o ${ptx})
  endif()
  add_custom_command(
    OUTPUT ${products}
    COMMAND sh ${LADDER_NVCC_SCRIPT} ${how} ${LADDER_NVCC} ${flags} -I${arg_LESSON} -MD -MT ${arg_OUTPUT} -MF ${arg_OUTPUT}.d
            ${arg_SOURCE} -o ${arg_OUTPUT} ${libraries} ${check}
    DEPENDS ${arg_SOURCE} ${LADDER_NVCC_SCRIPT} ${shake}
    DEPFILE ${arg_OUTPUT}.d
    COMMENT "nvcc ${file}"
    VERBATIM)
  add_custom_target(${name} DEPENDS ${products})
endfunction()

# A baseline says which libraries it needs in its first line: `// link: cublas`.
function(ladder_baseline_libraries source result)
  file(STRINGS ${source} first LIMIT_COUNT 1)
  set(libraries)
  if(first MATCHES "^// link: *([a-zA-Z0-9_ ]+)")
    separate_arguments(names UNIX_COMMAND "${CMAKE_MATCH_1}")
    cmake_path(GET LADDER_CUDART PARENT_PATH folder)
    foreach(library IN LISTS names)
      list(APPEND libraries -L${folder} -l${library} -Xlinker -rpath=${folder})
    endforeach()
  endif()
  set(${result} ${libraries} PARENT_SCOPE)
endfunction()

# The first of a baseline's libraries that this machine lacks, or empty. cuDNN, for one, comes apart from the toolkit.
function(ladder_missing_library source result)
  file(STRINGS ${source} first LIMIT_COUNT 1)
  set(missing)
  if(first MATCHES "^// link: *([a-zA-Z0-9_ ]+)" AND LADDER_CUDART)
    separate_arguments(names UNIX_COMMAND "${CMAKE_MATCH_1}")
    cmake_path(GET LADDER_CUDART PARENT_PATH folder)
    foreach(library IN LISTS names)
      find_library(LADDER_LIBRARY_${library} ${library} HINTS ${folder} NO_DEFAULT_PATH)
      mark_as_advanced(LADDER_LIBRARY_${library})
      if(NOT LADDER_LIBRARY_${library})
        set(missing ${library})
      endif()
    endforeach()
  endif()
  set(${result} "${missing}" PARENT_SCOPE)
endfunction()

# What `ladder` needs to know about this build to compile a rung itself.
foreach(build MODULE CHECK)
  list(TRANSFORM LADDER_${build}_FLAGS REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE ladder_json_${build})
  list(JOIN ladder_json_${build} ", " ladder_json_${build})
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/toolchain.json @ONLY CONTENT [[{
  "nvcc": "@LADDER_NVCC@",
  "cuda_version": "@LADDER_CUDA_VERSION@",
  "cuda_include": "@LADDER_CUDA_INCLUDE@",
  "host_compiler": "@LADDER_CUDA_HOST_COMPILER@",
  "arch": "@LADDER_CUDA_ARCH@",
  "device_arch": "@ladder_device_arch@",
  "module_flags": [@ladder_json_MODULE@],
  "check_flags": [@ladder_json_CHECK@],
  "source_dir": "@PROJECT_SOURCE_DIR@",
  "build_dir": "@CMAKE_BINARY_DIR@",
  "grades": @ladder_grades@,
  "serves": @ladder_serves@
}
]])
