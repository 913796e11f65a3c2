# Dependencies whose packages bring no CMake file everywhere: found by header and library, wrapped as imported targets.
function(parityd_find_header target header)
  find_path(${target}_INCLUDE_DIR ${header} REQUIRED)
  add_library(parityd::${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(parityd::${target} SYSTEM INTERFACE ${${target}_INCLUDE_DIR})
  foreach(name IN LISTS ARGN)
    find_library(${target}_${name}_LIBRARY ${name} REQUIRED)
    target_link_libraries(parityd::${target} INTERFACE ${${target}_${name}_LIBRARY})
  endforeach()
endfunction()

parityd_find_header(cli11 CLI/CLI.hpp)
parityd_find_header(tomlplusplus toml++/toml.h)
parityd_find_header(mustache kainjow/mustache.hpp)
parityd_find_header(expected tl/expected.hpp)
parityd_find_header(xxhash xxhash.h xxhash)
parityd_find_header(re2 re2/re2.h re2)
parityd_find_header(httplib httplib.h cpp-httplib)
# As the package was built: types in its header depend on these.
target_compile_definitions(parityd::httplib INTERFACE
  CPPHTTPLIB_OPENSSL_SUPPORT CPPHTTPLIB_ZLIB_SUPPORT CPPHTTPLIB_BROTLI_SUPPORT)
parityd_find_header(sqlitecpp SQLiteCpp/SQLiteCpp.h SQLiteCpp sqlite3)
