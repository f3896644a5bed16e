# Precompiled headers. What a file uses it still includes by itself: the checks of the rooms read
# includes, and a build without these headers is the same program.

set(common_headers
  <algorithm> <array> <atomic> <cstdint> <expected> <functional> <map> <memory> <mutex>
  <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>
  base/json/json.h base/core/limits.h base/core/result.h base/text/text.h)
set(test_headers <gmock/gmock.h> <gtest/gtest.h>)

# Headers for one target: the common ones, the standard library's `<...>` and those of src/.
function(baton_headers target)
  set(all ${common_headers} ${ARGN})
  list(TRANSFORM all PREPEND "${PROJECT_SOURCE_DIR}/src/" REGEX "^[^<]")
  target_precompile_headers(${target} PRIVATE ${all})
endfunction()

# Every C++ target of a folder that links one of our libraries uses the headers of `owner`, which
# are compiled once for all of them.
function(baton_share_headers folder owner)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(libraries ${target} LINK_LIBRARIES)
    get_target_property(sources ${target} SOURCES)
    if(libraries AND sources AND NOT libraries STREQUAL "baton_flags" AND sources MATCHES "\\.cc")
      target_precompile_headers(${target} REUSE_FROM ${owner})
      # Compiled headers fit only what has the flags they were compiled with; a program would get
      # -fPIE where a library gets -fPIC.
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${target} PRIVATE -fPIC)
      if(TARGET GTest::gtest)
        target_compile_options(${target} PRIVATE
          $<TARGET_PROPERTY:GTest::gtest,INTERFACE_COMPILE_OPTIONS>)
      endif()
    endif()
  endforeach()
endfunction()
