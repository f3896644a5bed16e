# The supervisor of commands as a program of its own, which baton_adapters holds as bytes. It is
# linked by itself and whole: no sanitizer and no library may slow its start.

function(baton_supervisor)
  set(folder ${PROJECT_SOURCE_DIR}/src/adapters/process)
  set(program ${CMAKE_CURRENT_BINARY_DIR}/baton-command)
  set(sources ${folder}/supervisor.cc ${folder}/containment.cc ${folder}/supervisor/main.cc)
  add_custom_command(OUTPUT ${program}
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++23 -Os -static -s -fno-exceptions -fno-rtti
            -fstack-protector-strong -I${PROJECT_SOURCE_DIR}/src ${sources} -o ${program}
    DEPENDS ${sources} ${folder}/supervisor.h ${folder}/containment.h
    VERBATIM)
  set_source_files_properties(${folder}/supervisor_image.cc PROPERTIES
    OBJECT_DEPENDS ${program}
    COMPILE_DEFINITIONS "BATON_SUPERVISOR=\"${program}\"")
endfunction()
