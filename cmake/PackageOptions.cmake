# A build whose programs run on other machines: nothing of this one is in them.

option(LADDER_PACKAGE "Build for a package: static libraries, no path of this machine, no tests" OFF)
set(LADDER_VARIANT "" CACHE STRING "The simulator alone, for a newer generation of CPUs: x86-64-v3 or x86-64-v4")
set(LADDER_SYSROOT "" CACHE PATH "Link for the C library whose stubs are there (cmake/package/sysroot.sh makes them)")

if(LADDER_PACKAGE)
  set(LADDER_BUILD_TESTS OFF CACHE BOOL "" FORCE)
  if(LADDER_VARIANT)
    set(LADDER_MARCH ${LADDER_VARIANT} CACHE STRING "" FORCE)
  else()
    set(LADDER_MARCH x86-64-v2 CACHE STRING "" FORCE)
  endif()
  set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON) # what is not in a package is not built for it
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  # Debian has no static fmt: its headers alone.
  find_path(LADDER_FMT_INCLUDE fmt/format-inl.h REQUIRED)
  add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)
  target_include_directories(fmt::fmt SYSTEM INTERFACE ${LADDER_FMT_INCLUDE})
  add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -ffile-prefix-map=${CMAKE_BINARY_DIR}/=build/)
  add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections)
  if(LADDER_SYSROOT)
    # The trailing slash matters: there the compiler finds crt1.o, and the linker the C library.
    add_link_options(-B${LADDER_SYSROOT}/ -L${LADDER_SYSROOT})
  endif()
endif()
