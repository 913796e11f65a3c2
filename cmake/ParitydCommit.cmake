# Run with `cmake -P` by each build: writes OUTPUT, C++ that names the commit of SOURCE and its date. Both are empty where
# SOURCE is no checkout (a tarball), or git is missing. The file changes only when the commit does.
set(commit "")
set(date "")
find_program(git git)
if(git)
  execute_process(COMMAND ${git} -C ${SOURCE} -c log.showSignature=false log -1 --format=%h|%cs OUTPUT_VARIABLE said ERROR_QUIET RESULT_VARIABLE status
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(status EQUAL 0 AND EXISTS ${SOURCE}/.git AND said MATCHES "^([0-9a-f]+)\\|([0-9-]+)$")
    set(commit ${CMAKE_MATCH_1})
    set(date ${CMAKE_MATCH_2})
    execute_process(COMMAND ${git} -C ${SOURCE} diff-index --quiet HEAD -- ERROR_QUIET RESULT_VARIABLE changed)
    if(changed)
      string(APPEND commit " with changes")
    endif()
  endif()
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/commit.cpp.in ${OUTPUT} @ONLY)
