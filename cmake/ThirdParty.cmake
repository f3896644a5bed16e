# Libraries that are not ours; third_party/README.md says why each is here.

find_package(Threads REQUIRED)
set(OPENSSL_USE_STATIC_LIBS ON)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)

function(third_party_static name library header)
  find_library(${name}_LIBRARY NAMES ${library} REQUIRED)
  find_path(${name}_INCLUDE ${header} REQUIRED)
  add_library(third_party::${name} UNKNOWN IMPORTED)
  set_target_properties(third_party::${name} PROPERTIES
    IMPORTED_LOCATION ${${name}_LIBRARY}
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${${name}_INCLUDE})
endfunction()

third_party_static(re2 libre2.a re2/re2.h)
third_party_static(utf8proc libutf8proc.a utf8proc.h)
third_party_static(yaml libyaml.a yaml.h)
set_property(TARGET third_party::re2 APPEND PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads)
set_property(TARGET OpenSSL::Crypto APPEND PROPERTY INTERFACE_LINK_LIBRARIES
  Threads::Threads ${CMAKE_DL_LIBS})

# SQLite comes as one C file that ./dev setup fetches and checks.
set(sqlite_dir ${PROJECT_SOURCE_DIR}/third_party/src/sqlite)
if(NOT EXISTS ${sqlite_dir}/sqlite3.c)
  message(FATAL_ERROR "third_party/src/sqlite is missing: run ./dev setup")
endif()
add_library(third_party_sqlite STATIC ${sqlite_dir}/sqlite3.c)
target_include_directories(third_party_sqlite SYSTEM PUBLIC ${sqlite_dir})
target_compile_definitions(third_party_sqlite PUBLIC
  SQLITE_DQS=0 SQLITE_THREADSAFE=2 SQLITE_DEFAULT_MEMSTATUS=0 SQLITE_LIKE_DOESNT_MATCH_BLOBS
  SQLITE_MAX_EXPR_DEPTH=0 SQLITE_OMIT_DEPRECATED SQLITE_OMIT_SHARED_CACHE
  SQLITE_OMIT_LOAD_EXTENSION SQLITE_USE_ALLOCA SQLITE_ENABLE_FTS5 HAVE_FDATASYNC=1)
# What a run says is its owner's business alone.
target_compile_definitions(third_party_sqlite PRIVATE SQLITE_DEFAULT_FILE_PERMISSIONS=0600)
# Optimised in every build: it is not debugged here, and the tests spend their time in it.
target_compile_options(third_party_sqlite PRIVATE -O2 -fno-omit-frame-pointer -w)
if(BATON_SANITIZE)
  target_compile_options(third_party_sqlite PRIVATE -fsanitize=${BATON_SANITIZE})
endif()
target_link_libraries(third_party_sqlite PUBLIC Threads::Threads ${CMAKE_DL_LIBS} m)
add_library(third_party::sqlite ALIAS third_party_sqlite)

# Headers only, used by src/transport/http.
find_path(boost_INCLUDE boost/beast/http/basic_parser.hpp REQUIRED)
add_library(third_party_boost INTERFACE)
target_include_directories(third_party_boost SYSTEM INTERFACE ${boost_INCLUDE})
add_library(third_party::boost ALIAS third_party_boost)

if(BATON_TESTS)
  find_package(GTest REQUIRED)
  third_party_static(rapidcheck librapidcheck.a rapidcheck.h)
endif()
