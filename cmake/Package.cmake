# What `cmake --install` puts where, and CPack into a .tar.gz and a .deb. Everything finds its own by where `ladder` lies:
#
#   bin/ladder
#   lib/cuda-ladder/            toolchain.json, bin/, lib/ and modules/ as in a build; x86-64-v3/ and -v4/ with the simulator again
#   share/cuda-ladder/          the course, and what makes a student's folder of it
#   share/locale/               what verdicts say in other languages
#   share/man, bash-completion, zsh, fish
#
# cmake/package/build.sh makes the packages: three builds of the simulator, one of all else.

if(NOT (TARGET ladder-cli AND TARGET runner-sim AND TARGET sim_cudart AND TARGET reduction_solution))
  return() # a part of the tree, or an edition of it
endif()

set(ladder_package_tools lib/cuda-ladder)
install(TARGETS runner-sim RUNTIME DESTINATION ${ladder_package_tools}/${LADDER_VARIANT}/bin)
install(TARGETS sim_cudart LIBRARY DESTINATION ${ladder_package_tools}/${LADDER_VARIANT}/lib)
if(LADDER_VARIANT)
  return()
endif()

install(TARGETS ladder-cli RUNTIME DESTINATION bin)
install(TARGETS ladder-shake RUNTIME DESTINATION ${ladder_package_tools}/bin)
# The finished ladder that `ladder demo` climbs goes along compiled: it needs no compiler then.
add_custom_target(packaged DEPENDS ladder-cli ladder-shake runner-sim sim_cudart reduction_solution translations)
install(DIRECTORY ${CMAKE_BINARY_DIR}/locale DESTINATION share OPTIONAL)
if(TARGET ladder-serve)
  add_dependencies(packaged ladder-serve)
  install(TARGETS ladder-serve RUNTIME DESTINATION ${ladder_package_tools}/bin)
endif()
file(GLOB descriptions CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/lessons ${PROJECT_SOURCE_DIR}/lessons/*/lesson.toml)
foreach(description IN LISTS descriptions)
  cmake_path(GET description PARENT_PATH lesson)
  string(SUBSTRING ${lesson} 3 -1 short)
  if(TARGET ${short}_lesson)
    add_dependencies(packaged ${short}_lesson)
    install(TARGETS ${short}_lesson LIBRARY DESTINATION ${ladder_package_tools}/modules/${lesson})
    if(TARGET ${short}_blank_page)
      install(TARGETS ${short}_blank_page LIBRARY DESTINATION ${ladder_package_tools}/modules/${lesson})
    endif()
  endif()
endforeach()

file(GLOB demo CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/solutions/*_reduction)
if(demo)
  cmake_path(GET demo FILENAME demo)
  install(DIRECTORY ${LADDER_MODULE_DIR}/${demo}/ DESTINATION ${ladder_package_tools}/modules/${demo} OPTIONAL
          FILES_MATCHING PATTERN "*.solution.so" PATTERN "*.solution.check.ptx")
endif()

# How a rung is compiled, without what is this machine's own.
foreach(build MODULE CHECK)
  set(flags ${LADDER_${build}_FLAGS})
  list(REMOVE_ITEM flags -ccbin ${LADDER_CUDA_HOST_COMPILER} -I${PROJECT_SOURCE_DIR})
  list(TRANSFORM flags REPLACE "(.+)" "\"\\1\"")
  list(JOIN flags ", " ladder_package_${build})
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/package/toolchain.json @ONLY CONTENT [[{
  "version": "@PROJECT_VERSION@",
  "cuda_version": "@LADDER_CUDA_VERSION@",
  "arch": "@LADDER_CUDA_ARCH@",
  "module_flags": [@ladder_package_MODULE@],
  "check_flags": [@ladder_package_CHECK@],
  "grades": false
}
]])
install(FILES ${CMAKE_BINARY_DIR}/package/toolchain.json DESTINATION ${ladder_package_tools})
install(FILES cmake/package/ladder.1 DESTINATION share/man/man1)

# The course, the completions, and modules without the folder that they were compiled in: nvcc notes it, and slashes of
# the same number take its place.
set(ladder_package_install ${PROJECT_SOURCE_DIR}/cmake/package/install.sh)
install(CODE "execute_process(COMMAND sh ${ladder_package_install} ${PROJECT_SOURCE_DIR} \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}
                              COMMAND_ERROR_IS_FATAL ANY)")

set(CPACK_PACKAGE_NAME cuda-ladder)
set(CPACK_PACKAGE_VENDOR "CUDA Ladder")
set(CPACK_PACKAGE_CONTACT "CUDA Ladder")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "learn CUDA C++ one rung at a time, with or without a GPU")
set(CPACK_PACKAGE_DESCRIPTION "A course of kernels to write, a grader that says where a kernel is wrong and why,
and a simulator that runs any CUDA program on the CPU. nvcc is not part of it:
`ladder setup` fetches it from PyPI where the machine has none.")
if(EXISTS ${PROJECT_SOURCE_DIR}/LICENSE)
  set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
endif()
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_FILE_NAME cuda-ladder-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_SET_DESTDIR OFF)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.28), libstdc++6, libgcc-s1")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++, python3-pip, ca-certificates")
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};cuda_ladder;ALL;/")
set(LADDER_VARIANT_BUILDS "" CACHE STRING "Builds with LADDER_VARIANT, whose simulators belong into the package")
foreach(folder IN LISTS LADDER_VARIANT_BUILDS)
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS "${folder};cuda_ladder;ALL;/")
endforeach()
include(CPack)
