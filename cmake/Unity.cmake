# Several sources of a folder in one call of the compiler. Most of what a small file costs is the headers that it shares
# with its neighbours, and the templates of these that each instantiates once more; who has just cloned the course waits
# for all of it. What is anonymous therefore has a name of its own within its folder.
option(LADDER_UNITY "Compile several sources in one call: a first build is faster, one after a change slower" ON)

# ladder_compile_together(target [together]): up to `together` (12) sources of each folder in one call.
function(ladder_compile_together target)
  set(together 12)
  if(ARGC GREATER 1)
    set(together ${ARGV1})
  endif()
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" id)
    if(NOT DEFINED count_${id})
      set(count_${id} 0)
    endif()
    math(EXPR batch "${count_${id}} / ${together}")
    math(EXPR count_${id} "${count_${id}} + 1")
    cmake_path(GET folder FILENAME name)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${LADDER_UNITY} UNITY_BUILD_MODE GROUP)
endfunction()
