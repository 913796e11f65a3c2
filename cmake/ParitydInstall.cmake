# What `cmake --install` puts below its prefix: all that parityd needs when its source tree is gone (agent/cli/installation.h
# looks for it), and what shells, systemd and people look for.
include(GNUInstallDirs)
set(parityd_share ${CMAKE_INSTALL_DATADIR}/parityd)

install(TARGETS parityd parityd-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# Sources of the worker's module and its Python, built anew for each torch; the syntax process; prompts; the draft's
# template and the known issues. The same files lie in the source tree, so that both have the same worker.
install(DIRECTORY executor/confine executor/shared executor/worker DESTINATION ${parityd_share}/executor PATTERN __pycache__ EXCLUDE)
install(DIRECTORY executor/syntax DESTINATION ${parityd_share}/executor FILES_MATCHING PATTERN *.py PATTERN __pycache__ EXCLUDE)
install(DIRECTORY oracle DESTINATION ${parityd_share} PATTERN __pycache__ EXCLUDE)
install(DIRECTORY prompts DESTINATION ${parityd_share}
  PATTERN __pycache__ EXCLUDE PATTERN *.cpp EXCLUDE PATTERN *.h EXCLUDE PATTERN CMakeLists.txt EXCLUDE PATTERN make_catalogues EXCLUDE)
if(NOT EXISTS ${PROJECT_SOURCE_DIR}/store/sample.db)
  message(FATAL_ERROR "store/sample.db is missing: get it from the repository, or create it with store/make_sample.py")
endif()
install(FILES store/draft.mustache store/known_issues.jsonl store/sample.db DESTINATION ${parityd_share}/store)

# The configuration with every key explained, out of the pages that explain them.
find_program(PARITYD_PLAIN_PYTHON python3 REQUIRED)
set(default_config ${PROJECT_BINARY_DIR}/parityd.toml)
file(GLOB configuration_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/configuration*.md)
add_custom_command(OUTPUT ${default_config}
  COMMAND ${PARITYD_PLAIN_PYTHON} ${PROJECT_SOURCE_DIR}/agent/default_config.py ${PROJECT_SOURCE_DIR}/docs > ${default_config}
  DEPENDS agent/default_config.py ${configuration_pages} VERBATIM)
set(installed_files ${default_config})
install(FILES ${default_config} DESTINATION ${parityd_share})

# Where each shell looks for completions by itself.
foreach(each "bash|parityd|bash-completion/completions" "zsh|_parityd|zsh/site-functions" "fish|parityd.fish|fish/vendor_completions.d")
  string(REPLACE "|" ";" parts ${each})
  list(GET parts 0 shell)
  list(GET parts 1 name)
  list(GET parts 2 folder)
  set(script ${PROJECT_BINARY_DIR}/completion/${shell}/${name})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/completion/${shell})
  add_custom_command(OUTPUT ${script} COMMAND parityd completion ${shell} > ${script} DEPENDS parityd VERBATIM)
  list(APPEND installed_files ${script})
  install(FILES ${script} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
endforeach()
add_custom_target(parityd_installed_files ALL DEPENDS ${installed_files})

install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.md PATTERN *.svg PATTERN *.png)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB licences CONFIGURE_DEPENDS LICENSE*)
install(FILES ${licences} DESTINATION ${CMAKE_INSTALL_DOCDIR})
