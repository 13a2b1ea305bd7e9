# Text files as constants of the program: pages are templates that lie beside the code that fills them in.

# ladder_embed(target file...): each page.html becomes the header "<its folder in the project>/page.html.h", which has its
# text as `constexpr std::string_view page_html` in the namespace `embedded`.
function(ladder_embed target)
  set(delimiter "~~~~") # of the raw string; no template holds it
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file)
    cmake_path(GET file FILENAME leaf)
    string(MAKE_C_IDENTIFIER ${leaf} name)
    file(READ ${file} text)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/embedded/${file}.h @ONLY CONTENT [[// From @file@.
#pragma once

#include <string_view>

namespace embedded {
inline constexpr std::string_view @name@ = R"@delimiter@(@text@)@delimiter@";
}  // namespace embedded
]])
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
  endforeach()
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/embedded)
endfunction()
