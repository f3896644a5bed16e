# Compiler flags for every target of ours, as the interface library baton_flags.

option(BATON_TESTS "Build the tests" ON)
option(BATON_FUZZ "Build the fuzz targets (Clang only)" OFF)
option(BATON_COVERAGE "Measure coverage" OFF)
set(BATON_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")

add_library(baton_flags INTERFACE)
target_compile_options(baton_flags INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual -Werror
  -fno-omit-frame-pointer
  -fstack-protector-strong -fstack-clash-protection -fcf-protection)
# The stable_sort of libstdc++ 12 calls what libstdc++ 12 deprecates, and Clang says so; g++ still
# refuses what we ourselves would call.
target_compile_options(baton_flags INTERFACE
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
# The locks of base/core/thread_safety.h.
target_compile_options(baton_flags INTERFACE
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety -Werror=thread-safety>)
target_compile_definitions(baton_flags INTERFACE
  _GLIBCXX_ASSERTIONS BATON_VERSION="${PROJECT_VERSION}")
target_link_options(baton_flags INTERFACE
  -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -static-libstdc++ -static-libgcc)

if(BATON_SANITIZE)
  target_compile_options(baton_flags INTERFACE
    -fsanitize=${BATON_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(baton_flags INTERFACE -fsanitize=${BATON_SANITIZE})
  if(BATON_SANITIZE STREQUAL "thread")
    # The thread sanitizer cannot see fences; Asio's handlers are ordered by its locks as well.
    target_compile_definitions(baton_flags INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
elseif(NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  target_compile_definitions(baton_flags INTERFACE _FORTIFY_SOURCE=3)
endif()
if(BATON_FUZZ)
  # Coverage of every room for libFuzzer, which tests/fuzz links.
  target_compile_options(baton_flags INTERFACE -fsanitize=fuzzer-no-link -O1)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  # g++ 12 at -O2 takes the unused half of std::expected and std::optional for an uninitialised
  # read, and a moved short string inside one for a write past its end. Clang and -O0 look as well.
  target_compile_options(baton_flags INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds
                         -Wno-stringop-overflow)
endif()
if(BATON_COVERAGE)
  target_compile_options(baton_flags INTERFACE --coverage)
  target_link_options(baton_flags INTERFACE --coverage)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(launcher ${PROJECT_SOURCE_DIR}/cmake/compile ${PROJECT_SOURCE_DIR} ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-fpch-preprocess)
  endif()
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()
