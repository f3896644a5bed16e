# Precompiled headers. What a file uses it still includes by itself: the checks of the rooms read
# includes, and the clang preset compiles without these headers.

set(common_headers
  <algorithm> <array> <atomic> <cstdint> <expected> <functional> <map> <memory> <mutex>
  <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>
  base/json/json.h base/core/limits.h base/core/result.h base/text/text.h)

# A library that compiles nothing but headers, for the targets that share them: the common ones, the
# standard library's `<...>` and those of src/.
function(baton_headers name)
  cmake_parse_arguments(HEADERS "" "" "LIBS" ${ARGN})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${name}.cc CONTENT "")
  add_library(${name} STATIC ${PROJECT_BINARY_DIR}/${name}.cc)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE baton_flags ${HEADERS_LIBS})
  set(all ${common_headers} ${HEADERS_UNPARSED_ARGUMENTS})
  list(TRANSFORM all PREPEND "${PROJECT_SOURCE_DIR}/src/" REGEX "^[^<]")
  target_precompile_headers(${name} PRIVATE ${all})
endfunction()

baton_headers(base_headers)
baton_headers(engine_headers engine/engine.h)
if(BATON_TESTS)
  baton_headers(test_headers <gmock/gmock.h> <gtest/gtest.h> engine/engine.h
                LIBS GTest::gtest GTest::gmock)
endif()

# Compiled headers fit only what has the flags they were compiled with; a program would get -fPIE
# where a library gets -fPIC.
function(baton_use_headers target owner)
  target_precompile_headers(${target} REUSE_FROM ${owner})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  if(owner STREQUAL test_headers)
    target_compile_options(${target} PRIVATE
      $<TARGET_PROPERTY:GTest::gtest,INTERFACE_COMPILE_OPTIONS>)
  endif()
endfunction()

# The C++ targets of a folder that link one of our libraries: in units, with the headers of `owner`.
function(baton_compile_folder folder owner)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(libraries ${target} LINK_LIBRARIES)
    get_target_property(sources ${target} SOURCES)
    if(libraries AND sources AND NOT libraries STREQUAL "baton_flags" AND sources MATCHES "\\.cc")
      baton_units(${target})
      baton_use_headers(${target} ${owner})
    endif()
  endforeach()
endfunction()
