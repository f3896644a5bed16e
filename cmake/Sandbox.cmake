# The sandbox of scripts as a library of its own, built once: QuickJS-ng, which ./dev setup fetches
# as WebAssembly, translated to C by wasm2c, and our runtime around it.

set(quickjs_wasm ${PROJECT_SOURCE_DIR}/third_party/src/quickjs/quickjs.wasm)
if(NOT EXISTS ${quickjs_wasm})
  message(FATAL_ERROR "third_party/src/quickjs is missing: run ./dev setup")
endif()
find_program(WASM2C wasm2c REQUIRED)
find_path(wasm_rt_INCLUDE wasm-rt.h REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# Compiling the whole at once takes a gigabyte and one core.
set(parts 8)
set(sandbox_dir ${PROJECT_BINARY_DIR}/sandbox)
file(MAKE_DIRECTORY ${sandbox_dir})
set(module_sources "")
math(EXPR last "${parts} - 1")
foreach(part RANGE ${last})
  list(APPEND module_sources ${sandbox_dir}/module_${part}.c)
endforeach()
set(splitter ${PROJECT_SOURCE_DIR}/cmake/split_module.py)
add_custom_command(
  OUTPUT ${sandbox_dir}/quickjs.h ${sandbox_dir}/module.inc ${module_sources}
  COMMAND ${WASM2C} ${quickjs_wasm} --module-name=quickjs --output=quickjs.c
  COMMAND ${Python3_EXECUTABLE} ${splitter} quickjs.c . ${parts}
  DEPENDS ${quickjs_wasm} ${splitter}
  WORKING_DIRECTORY ${sandbox_dir}
  COMMENT "Translating the script engine" VERBATIM)

set(runtime ${PROJECT_SOURCE_DIR}/src/adapters/script/wasm_runtime.c)
add_library(baton_sandbox STATIC ${module_sources} ${runtime})
target_include_directories(baton_sandbox PUBLIC ${PROJECT_SOURCE_DIR}/src)
target_include_directories(baton_sandbox SYSTEM PRIVATE ${sandbox_dir} ${wasm_rt_INCLUDE})
target_compile_definitions(baton_sandbox PRIVATE _GNU_SOURCE)
set_property(SOURCE ${runtime} APPEND PROPERTY OBJECT_DEPENDS ${sandbox_dir}/quickjs.h)
# The same in every kind of build but release, so that they share one cached compilation: it is
# not debugged, and a sanitizer would watch memory that guards itself. A frame larger than a page
# touches every page, so that none steps over the end of a stack.
set(module_options -w -g0 -fstack-clash-protection -ftls-model=initial-exec
    $<IF:$<CONFIG:Release>,-O2,-O1>)
set_source_files_properties(${module_sources} PROPERTIES COMPILE_OPTIONS "${module_options}")
# A jump between two stacks is what _FORTIFY_SOURCE takes for an attack.
set(runtime_options -Wall -Wextra -Wconversion -Wshadow -Wcast-qual -Werror -O2
    -fno-omit-frame-pointer -fstack-clash-protection -ftls-model=initial-exec -U_FORTIFY_SOURCE)
if(BATON_SANITIZE)
  list(APPEND runtime_options -fsanitize=${BATON_SANITIZE} -fno-sanitize-recover=all)
endif()
set_source_files_properties(${runtime} PROPERTIES COMPILE_OPTIONS "${runtime_options}")
target_link_libraries(baton_sandbox PUBLIC Threads::Threads m)
