# One .cu file -> one module: a shared object whose CUDA runtime stays undefined, for runner-sim or runner-gpu to fill in.

# The flags of the fast build, kept in one list so that `ladder` (through toolchain.json) compiles exactly the same way.
set(LADDER_MODULE_FLAGS
    -gencode arch=compute_${LADDER_CUDA_ARCH},code=compute_${LADDER_CUDA_ARCH} # PTX only: the simulator reads it, a driver compiles it
    --no-compress            # PTX as plain text
    -O3 -lineinfo -std=c++17
    -Xcompiler -fPIC -shared -cudart none
    -ccbin ${LADDER_CUDA_HOST_COMPILER}
    -I${PROJECT_SOURCE_DIR})

# Peers are library code (CUB, cuBLAS) that picks its tuning by the architecture it was compiled for, so they are
# compiled for the GPU at hand; where there is none, for the newest the course names.
find_program(LADDER_NVIDIA_SMI nvidia-smi)
set(ladder_gpu_arch 90)
if(LADDER_NVIDIA_SMI)
  execute_process(COMMAND ${LADDER_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE ladder_caps ERROR_QUIET RESULT_VARIABLE ladder_smi_status)
  if(ladder_smi_status EQUAL 0 AND ladder_caps MATCHES "^([0-9]+)\\.([0-9]+)")
    set(ladder_gpu_arch ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
  endif()
endif()
set(LADDER_PEER_ARCH ${ladder_gpu_arch} CACHE STRING "Architecture of the library peers")

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
    elseif(name STREQUAL rung AND line MATCHES "\"([0-9]+)\\.([0-9]+)\"")
      if(${CMAKE_MATCH_1}${CMAKE_MATCH_2} GREATER arch)
        set(arch ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
      endif()
    endif()
  endforeach()
  set(${result} ${arch} PARENT_SCOPE)
endfunction()

# The check build: PTX in which every access of the source is still there, for the simulator to look for findings in. The
# optimiser deletes dead accesses and merges racing stores; -Xcicc -O0 keeps most and deletes loads whose value goes
# unused; -G keeps all, has scalars in registers nevertheless, and says where code was inlined.
set(LADDER_CHECK_FLAGS -G)

# ladder_check_ptx(source ptx lesson arch): compiles it. Where that fails the module fails too and says why; this file is then
# empty, and nobody needs to read the same errors twice.
function(ladder_check_ptx source ptx lesson arch)
  cmake_path(GET source FILENAME file)
  add_custom_command(
    OUTPUT ${ptx}
    COMMAND sh -c "\"$@\" 2>/dev/null || : > \"$0\"" ${ptx} ${LADDER_NVCC} -arch=compute_${arch}
            ${LADDER_CHECK_FLAGS} -w -std=c++17 -ccbin ${LADDER_CUDA_HOST_COMPILER} -I${PROJECT_SOURCE_DIR} -I${lesson}
            -MD -MT ${ptx} -MF ${ptx}.d -ptx ${source} -o ${ptx}
    DEPENDS ${source}
    DEPFILE ${ptx}.d
    COMMENT "nvcc ${file}, check build"
    VERBATIM)
endfunction()

# ladder_cuda_module(name SOURCE file OUTPUT file LESSON dir [RUNG rung | ARCH 90] [PEER] [CHECK])
# Adds target `name`, not part of `all`, that compiles one .cu into a module, for the architecture that RUNG of the
# lesson needs, or for ARCH. It is rebuilt when the file or anything it includes changes (nvcc writes the dependency file).
# CHECK: beside x.so also x.check.ptx.
function(ladder_cuda_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PEER;CHECK" "SOURCE;OUTPUT;LESSON;RUNG;ARCH" "")
  set(flags ${LADDER_MODULE_FLAGS})
  set(arch ${LADDER_CUDA_ARCH})
  if(arg_ARCH)
    set(arch ${arg_ARCH})
  elseif(arg_RUNG)
    ladder_rung_arch(${arg_LESSON} ${arg_RUNG} arch)
  endif()
  if(NOT arch EQUAL LADDER_CUDA_ARCH)
    list(TRANSFORM flags REPLACE "^arch=.*" "arch=compute_${arch},code=compute_${arch}")
  endif()
  if(arg_PEER)
    list(TRANSFORM flags REPLACE "^arch=.*" "arch=compute_${LADDER_PEER_ARCH},code=sm_${LADDER_PEER_ARCH}")
    ladder_peer_libraries(${arg_SOURCE} libraries)
  endif()
  cmake_path(GET arg_OUTPUT PARENT_PATH folder)
  cmake_path(GET arg_SOURCE FILENAME file)
  file(MAKE_DIRECTORY ${folder})
  ladder_record_for_clangd(${arg_SOURCE} ${arg_LESSON} ${arch})
  add_custom_command(
    OUTPUT ${arg_OUTPUT}
    COMMAND ${LADDER_NVCC} ${flags} -I${arg_LESSON} -MD -MT ${arg_OUTPUT} -MF ${arg_OUTPUT}.d
            ${arg_SOURCE} -o ${arg_OUTPUT} ${libraries}
    DEPENDS ${arg_SOURCE}
    DEPFILE ${arg_OUTPUT}.d
    COMMENT "nvcc ${file}"
    VERBATIM)
  set(check)
  if(arg_CHECK)
    cmake_path(REPLACE_EXTENSION arg_OUTPUT LAST_ONLY check.ptx OUTPUT_VARIABLE check)
    ladder_check_ptx(${arg_SOURCE} ${check} ${arg_LESSON} ${arch})
  endif()
  add_custom_target(${name} DEPENDS ${arg_OUTPUT} ${check})
endfunction()

# A peer says which libraries it needs in its first line: `// link: cublas`.
function(ladder_peer_libraries source result)
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

# The first of a peer's libraries that this machine lacks, or empty. cuDNN, for one, comes apart from the toolkit.
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
list(TRANSFORM LADDER_MODULE_FLAGS REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE ladder_json_flags)
list(JOIN ladder_json_flags ", " ladder_json_flags)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/toolchain.json @ONLY CONTENT [[{
  "nvcc": "@LADDER_NVCC@",
  "cuda_version": "@LADDER_CUDA_VERSION@",
  "cuda_include": "@LADDER_CUDA_INCLUDE@",
  "host_compiler": "@LADDER_CUDA_HOST_COMPILER@",
  "arch": "@LADDER_CUDA_ARCH@",
  "module_flags": [@ladder_json_flags@],
  "source_dir": "@PROJECT_SOURCE_DIR@",
  "build_dir": "@CMAKE_BINARY_DIR@"
}
]])
