# Several sources in one call of the compiler. Most of what a small file costs is the headers that it shares with its
# neighbours, and the templates of these that each instantiates once more; who has just cloned the course waits for all of
# it. What is anonymous therefore has a name of its own within its folder (those beside the target's CMakeLists.txt, with
# what lies below them), or within its target where folders are joined.
option(LADDER_UNITY "Compile several sources in one call: a first build is faster, one after a change slower" ON)

# ladder_compile_together(target most [ACROSS_FOLDERS]): up to `most` sources in one call, of one folder or of any.
function(ladder_compile_together target most)
  cmake_parse_arguments(PARSE_ARGV 2 arg "ACROSS_FOLDERS" "" "")
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    set(group ${target})
    if(NOT arg_ACROSS_FOLDERS)
      cmake_path(RELATIVE_PATH source OUTPUT_VARIABLE path)
      if(path MATCHES "^([^/]*)/")
        set(group ${CMAKE_MATCH_1})
      endif()
    endif()
    if(NOT DEFINED count_${group})
      set(count_${group} 0)
    endif()
    math(EXPR batch "${count_${group}} / ${most}")
    math(EXPR count_${group} "${count_${group}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${batch})
  endforeach()
  if(LADDER_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage) # takes each source for a header
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${LADDER_UNITY} UNITY_BUILD_MODE GROUP)
endfunction()

# The headers that nearly every call reads, read once. gcc takes the result at any level of optimisation above 0, but only
# for one CPU (-march) and kind of code (-fPIC). A compiler cache has nothing of it, and may refuse what was compiled with it.
set(ladder_precompiles ${LADDER_UNITY})
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU OR CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache" OR LADDER_SANITIZE)
  set(ladder_precompiles OFF)
endif()

# ladder_precompile(target header...): these and the standard library's.
function(ladder_precompile target)
  if(ladder_precompiles)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <cmath> <filesystem> <functional> <map>
                              <memory> <mutex> <optional> <set> <span> <string> <string_view> <thread> <unordered_map>
                              <variant> <vector> ${ARGN})
  endif()
endfunction()

# ladder_share_precompiled(target owner): those of `owner`.
function(ladder_share_precompiled target owner)
  if(ladder_precompiles)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()
