# What editors need to know about kernels. CMake's own compile_commands.json has only what CMake compiles itself, and not
# for clang; .clangd sends .cu files to this one, build/cuda/compile_commands.json.

# ladder_record_for_clangd(source folder arch): how clang would compile a kernel. `folder` is searched for headers, too.
# clangd reads the host's side, where the architecture shows nowhere; it must be one that an older clang knows. An older
# clang's headers expect the textures of before CUDA 12, which are left out, and forbid what libcu++ does with "...".
function(ladder_record_for_clangd source folder arch)
  if(arch GREATER 80)
    set(arch 80)
  endif()
  set(ours ${PROJECT_SOURCE_DIR}/cmake/clangd)
  set_property(GLOBAL APPEND PROPERTY ladder_clangd_entries
    "{\"directory\": \"${CMAKE_BINARY_DIR}\", \"file\": \"${source}\", \"arguments\": [\"clang++\", \"-x\", \"cuda\", \
\"--cuda-path=${LADDER_CUDA_ROOT}\", \"--cuda-gpu-arch=sm_${arch}\", \"--no-cuda-version-check\", \
\"-Wno-unknown-cuda-version\", \"-D__CLANG_CUDA_TEXTURE_INTRINSICS_H__\", \"-isystem\", \"${ours}\", \"-Xclang\", \
\"-fcuda-allow-variadic-functions\", \"-include\", \"${ours}/nvcc.h\", \"-std=c++17\", \"-I${PROJECT_SOURCE_DIR}\", \
\"-I${folder}\", \"-isystem\", \"${LADDER_CUDA_INCLUDE}\", \"-isystem\", \"${LADDER_CUDA_INCLUDE}/cccl\", \
\"-c\", \"${source}\"]}")
endfunction()

# Written once all kernels are known.
function(ladder_write_clangd_database)
  get_property(entries GLOBAL PROPERTY ladder_clangd_entries)
  list(JOIN entries ",\n" text)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/cuda/compile_commands.json CONTENT "[\n@text@\n]\n" @ONLY)
endfunction()
