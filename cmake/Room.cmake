# baton_room(NAME [PURE] [INCLUDES rooms...] [LIBS libraries...])
#
# One static library per room from src/NAME/**.cc, and one test executable from its *_test.cc
# that links that room and the rooms it may include, and nothing else: a wrong edge does not link.
#
# What only tests use, in a folder testing/ or faulty/, is in baton_NAME_testing, which a test links
# beside the room and the program does not.

# src/base/testing/project_file.h. No path of the project is a flag of many sources: ccache could
# then share none of them between two build folders, and a mutant would compile its whole test.
if(BATON_TESTS)
  set(project_file ${PROJECT_BINARY_DIR}/project_file.cc)
  file(CONFIGURE OUTPUT ${project_file} CONTENT [[
#include "base/testing/project_file.h"

namespace baton {
std::string project_file(std::string_view path) {
  return std::string("@PROJECT_SOURCE_DIR@/").append(path);
}
}  // namespace baton
]] @ONLY)
  add_library(baton_project_file STATIC ${project_file})
  target_include_directories(baton_project_file PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(baton_project_file PRIVATE baton_flags)
endif()

function(baton_room name)
  cmake_parse_arguments(ROOM "PURE" "" "INCLUDES;LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|/main\\.cc$")
  set(doubles ${sources})
  list(FILTER doubles INCLUDE REGEX "/(testing|faulty)/")
  list(FILTER sources EXCLUDE REGEX "/(testing|faulty)/")

  if(sources)
    add_library(baton_${name} STATIC ${sources})
    set(visibility PUBLIC)
    baton_units(baton_${name})
    if(engine IN_LIST ROOM_INCLUDES OR name STREQUAL engine)
      baton_use_headers(baton_${name} engine_headers)
    else()
      baton_use_headers(baton_${name} base_headers)
    endif()
  else()
    add_library(baton_${name} INTERFACE)
    set(visibility INTERFACE)
  endif()
  target_include_directories(baton_${name} ${visibility} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(baton_${name} ${visibility} baton_flags ${ROOM_LIBS})
  foreach(included ${ROOM_INCLUDES})
    target_link_libraries(baton_${name} ${visibility} baton_${included})
  endforeach()
  if(ROOM_PURE)
    set_property(GLOBAL APPEND PROPERTY BATON_PURE_ROOMS ${name})
  endif()

  if(doubles)
    add_library(baton_${name}_testing STATIC EXCLUDE_FROM_ALL ${doubles})
    target_link_libraries(baton_${name}_testing PUBLIC baton_${name})
    baton_use_headers(baton_${name}_testing base_headers)
  endif()

  if(tests AND BATON_TESTS)
    add_executable(${name}_test ${tests})
    foreach(room ${name} ${ROOM_INCLUDES})
      if(TARGET baton_${room}_testing)
        target_link_libraries(${name}_test PRIVATE baton_${room}_testing)
      endif()
    endforeach()
    target_link_libraries(${name}_test PRIVATE
      baton_${name} baton_project_file
      GTest::gtest_main GTest::gmock third_party::rapidcheck)
    baton_units(${name}_test)
    baton_use_headers(${name}_test test_headers)
    add_test(NAME ${name} COMMAND ${name}_test)
    set_tests_properties(${name} PROPERTIES LABELS pure)
  endif()
endfunction()
