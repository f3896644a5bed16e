# Sources that are compiled together. What most of them cost is reading the same headers and making
# the same templates again, so units.py joins a few sources of a target to one translation unit.
# Each source still includes what it uses and compiles by itself: with -DBATON_UNITS=OFF, as the
# clang preset does.

option(BATON_UNITS "Compile several sources at once" ON)
if(BATON_UNITS AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # g++ takes a source that is included for a header, which others might include as well.
  target_compile_options(baton_flags INTERFACE -Wno-subobject-linkage)
endif()
set(unit_packer ${PROJECT_SOURCE_DIR}/cmake/units.py)

# Replaces the sources of a target by its units. A source with definitions or dependencies of its
# own stays alone, and so does one that is generated.
function(baton_units target)
  if(NOT BATON_UNITS)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(alone "")
  set(packed "")
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR ${source} generated)
    get_source_file_property(definitions ${source} DIRECTORY ${folder} COMPILE_DEFINITIONS)
    get_source_file_property(needs ${source} DIRECTORY ${folder} OBJECT_DEPENDS)
    if(generated OR definitions OR needs OR NOT source MATCHES "\\.cc$")
      list(APPEND alone ${source})
    else()
      list(APPEND packed ${source})
    endif()
  endforeach()
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -B ${unit_packer} ${PROJECT_SOURCE_DIR}
            ${PROJECT_BINARY_DIR}/units ${target} ${packed}
    OUTPUT_VARIABLE units COMMAND_ERROR_IS_FATAL ANY)
  set_property(TARGET ${target} PROPERTY SOURCES ${units} ${alone})
  set_property(GLOBAL APPEND PROPERTY BATON_PACKED_SOURCES ${packed})
endfunction()

# After all targets: a build whose units do not fit any more stops and says so. `./dev build` looks
# before it builds.
function(baton_check_units)
  get_property(packed GLOBAL PROPERTY BATON_PACKED_SOURCES)
  if(packed)
    set(checked ${PROJECT_BINARY_DIR}/units/checked)
    add_custom_command(OUTPUT ${checked}
      COMMAND ${Python3_EXECUTABLE} -B ${unit_packer} --fit ${PROJECT_BINARY_DIR}/units
      COMMAND ${CMAKE_COMMAND} -E touch ${checked}
      DEPENDS ${packed} ${unit_packer}
      COMMENT "Checking the units" VERBATIM)
    add_custom_target(units_fit ALL DEPENDS ${checked})
  endif()
endfunction()
