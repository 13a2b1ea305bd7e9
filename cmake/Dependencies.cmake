# Third-party libraries: an installed package if there is one, else a pinned archive (address and SHA-256).
#
# A package manager's copy is faster, shared and patched, so it is asked first. The archives are what makes a build
# possible on a system without these packages; they are fetched only for what is missing.

include(FetchContent)
set(FETCHCONTENT_QUIET ON)

# Declares an archive and adds its build, with its own tests, examples and install rules left out.
function(ladder_fetch name url sha256)
  message(STATUS "${name}: no package found, fetching ${url}")
  FetchContent_Declare(${name} URL ${url} URL_HASH SHA256=${sha256} DOWNLOAD_EXTRACT_TIMESTAMP OFF ${ARGN})
  set(BUILD_SHARED_LIBS OFF)
  FetchContent_MakeAvailable(${name})
  set(${name}_SOURCE_DIR ${${name}_SOURCE_DIR} PARENT_SCOPE)
endfunction()

# A library without a CMake package on Debian 12, looked for by its header and its file: the target ladder::NAME, and
# ladder_NAME_found, which says whether it is installed. Where it is not, the target is for the caller to fill.
function(ladder_find_library name header)
  string(TOUPPER ${name} upper)
  find_path(LADDER_${upper}_INCLUDE ${header})
  find_library(LADDER_${upper}_LIBRARY ${name})
  add_library(ladder_${name} INTERFACE)
  add_library(ladder::${name} ALIAS ladder_${name})
  set(found false)
  if(LADDER_${upper}_INCLUDE AND LADDER_${upper}_LIBRARY)
    target_include_directories(ladder_${name} SYSTEM INTERFACE ${LADDER_${upper}_INCLUDE})
    target_link_libraries(ladder_${name} INTERFACE ${LADDER_${upper}_LIBRARY})
    set(found true)
  endif()
  set(ladder_${name}_found ${found} PARENT_SCOPE)
endfunction()

find_package(Threads REQUIRED)

if(NOT TARGET fmt::fmt)
  find_package(fmt 9 QUIET CONFIG)
endif()
if(NOT TARGET fmt::fmt)
  ladder_fetch(fmt https://github.com/fmtlib/fmt/archive/9.1.0.tar.gz
               5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2)
endif()

find_package(CLI11 2.1 QUIET CONFIG)
if(NOT TARGET CLI11::CLI11)
  set(CLI11_BUILD_TESTS OFF CACHE BOOL "" FORCE)
  set(CLI11_BUILD_EXAMPLES OFF CACHE BOOL "" FORCE)
  ladder_fetch(cli11 https://github.com/CLIUtils/CLI11/archive/v2.1.2.tar.gz
               26291377e892ba0e5b4972cdfd4a2ab3bf53af8dac1f4ea8fe0d1376b625c8cb)
endif()

find_package(nlohmann_json 3.10 QUIET CONFIG)
if(NOT TARGET nlohmann_json::nlohmann_json)
  ladder_fetch(json https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
               d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d)
endif()

if(NOT TARGET tomlplusplus::tomlplusplus)
  find_package(tomlplusplus 3 QUIET CONFIG)
endif()
if(NOT TARGET tomlplusplus::tomlplusplus)
  ladder_fetch(tomlplusplus https://github.com/marzer/tomlplusplus/archive/refs/tags/v3.3.0.tar.gz
               fc1a5eb410f3c67e90e5ad1264a1386d020067cfb01b633cc8c0441789aa6cf2)
endif()

# utf8proc: what Unicode says of characters, and how many columns they take.
ladder_find_library(utf8proc utf8proc.h)
if(NOT ladder_utf8proc_found)
  set(UTF8PROC_ENABLE_TESTING OFF CACHE BOOL "" FORCE)
  set(UTF8PROC_INSTALL OFF CACHE BOOL "" FORCE)
  ladder_fetch(utf8proc https://github.com/JuliaStrings/utf8proc/archive/v2.8.0.tar.gz
               a0a60a79fe6f6d54e7d411facbfcc867a6e198608f2cd992490e46f04b1bcecc)
  target_link_libraries(ladder_utf8proc INTERFACE utf8proc)
endif()

# libmd: SHA-256. dpkg stands on it, so every Debian has it. Its own build is configure and make.
ladder_find_library(md sha256.h)
if(NOT ladder_md_found)
  include(ExternalProject)
  set(LADDER_MD_URL https://archive.hadrons.org/software/libmd/libmd-1.0.4.tar.xz)
  message(STATUS "libmd: no package found, fetching ${LADDER_MD_URL}")
  set(ladder_md_prefix ${CMAKE_BINARY_DIR}/_deps/libmd)
  ExternalProject_Add(libmd PREFIX ${ladder_md_prefix} URL ${LADDER_MD_URL}
    DOWNLOAD_EXTRACT_TIMESTAMP ON # or make would take its files for older than what they are made from
    URL_HASH SHA256=f51c921042e34beddeded4b75557656559cf5b1f2448033b4c1eec11c07e530f
    CONFIGURE_COMMAND <SOURCE_DIR>/configure --prefix=<INSTALL_DIR> --libdir=<INSTALL_DIR>/lib --disable-shared --with-pic
    BUILD_COMMAND make INSTALL_COMMAND make install
    BUILD_BYPRODUCTS ${ladder_md_prefix}/lib/libmd.a)
  file(MAKE_DIRECTORY ${ladder_md_prefix}/include)
  target_include_directories(ladder_md SYSTEM INTERFACE ${ladder_md_prefix}/include)
  target_link_libraries(ladder_md INTERFACE ${ladder_md_prefix}/lib/libmd.a)
  add_dependencies(ladder_md libmd)
endif()

# zstd: most fat binaries are compressed with it.
ladder_find_library(zstd zstd.h)
if(NOT ladder_zstd_found)
  set(ZSTD_BUILD_PROGRAMS OFF CACHE BOOL "" FORCE)
  set(ZSTD_BUILD_SHARED OFF CACHE BOOL "" FORCE)
  ladder_fetch(zstd https://github.com/facebook/zstd/releases/download/v1.5.5/zstd-1.5.5.tar.gz
               9c4396cc829cfae319a6e2615202e82aad41372073482fce286fac78646d3ee4 SOURCE_SUBDIR build/cmake)
  target_include_directories(ladder_zstd SYSTEM INTERFACE ${zstd_SOURCE_DIR}/lib)
  target_link_libraries(ladder_zstd INTERFACE libzstd_static)
endif()

# lz4 is optional: only fat binaries made with `--compress-mode=speed` need it.
ladder_find_library(lz4 lz4.h)
if(ladder_lz4_found)
  target_compile_definitions(ladder_lz4 INTERFACE LADDER_HAS_LZ4=1)
else()
  message(STATUS "lz4: not found; fat binaries compressed with it will be refused by name")
endif()

# What `ladder grade` alone needs, to close its cells and to look into archives there. libseccomp has no build but its own
# (autotools), and without it there is nothing to grade in: both are packages or missing, and the rest is built without them.
set(ladder_grades true)
foreach(name IN ITEMS seccomp archive)
  ladder_find_library(${name} ${name}.h)
  if(NOT ladder_${name}_found)
    message(STATUS "lib${name}: not found; built without `ladder grade`, for which ./ladder setup --grade installs it")
    set(ladder_grades false)
  endif()
endforeach()

# What the page of `ladder serve` alone needs: HTTP, and Markdown with tables. Packages or missing, too.
set(ladder_serves true)
foreach(pair IN ITEMS event_core:event2/event.h event_extra:event2/http.h cmark-gfm:cmark-gfm.h
                      cmark-gfm-extensions:cmark-gfm-core-extensions.h)
  string(REPLACE ":" ";" pair ${pair})
  ladder_find_library(${pair})
  list(GET pair 0 name)
  if(NOT ladder_${name}_found)
    message(STATUS "${name}: not found; built without `ladder serve`, for which ./ladder setup --page installs it")
    set(ladder_serves false)
  endif()
endforeach()

if(LADDER_BUILD_TESTS)
  find_package(Catch2 3 QUIET CONFIG)
  if(NOT TARGET Catch2::Catch2WithMain)
    ladder_fetch(Catch2 https://github.com/catchorg/Catch2/archive/v3.6.0.tar.gz
                 485932259a75c7c6b72d4b874242c489ea5155d17efa345eb8cc72159f49f356)
    list(APPEND CMAKE_MODULE_PATH ${Catch2_SOURCE_DIR}/extras)
  endif()
endif()
