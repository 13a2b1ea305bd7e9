# The catalogues of the tool's texts: po/LANG.po becomes locale/LANG/LC_MESSAGES/ladder.mo, where programs look for it.

add_custom_target(translations)
add_dependencies(tools translations)
add_dependencies(first_tools translations)

find_program(LADDER_MSGFMT msgfmt DOC "Compiles translations (package gettext)")
file(GLOB ladder_catalogues CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/po/*.po)
if(ladder_catalogues AND NOT LADDER_MSGFMT)
  get_property(told CACHE LADDER_TOLD_MSGFMT PROPERTY VALUE)
  if(NOT told)
    message(STATUS "verdicts are in English only: translations need msgfmt (apt install gettext)")
    set(LADDER_TOLD_MSGFMT ON CACHE INTERNAL "")
  endif()
  return()
endif()
foreach(catalogue IN LISTS ladder_catalogues)
  cmake_path(GET catalogue STEM language)
  set(compiled ${CMAKE_BINARY_DIR}/locale/${language}/LC_MESSAGES/ladder.mo)
  cmake_path(GET compiled PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${compiled} DEPENDS ${catalogue} VERBATIM
                     COMMAND ${LADDER_MSGFMT} --check-header --output-file=${compiled} ${catalogue}
                     COMMENT "Compiling the catalogue of ${language}")
  add_custom_target(translation_${language} DEPENDS ${compiled})
  add_dependencies(translations translation_${language})
endforeach()
