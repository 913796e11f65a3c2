# Read by cpack before each package: files of a .deb name /usr, a .tar.gz holds one folder.
if(CPACK_GENERATOR STREQUAL DEB)
  set(CPACK_SET_DESTDIR ON)
  set(CPACK_INSTALL_PREFIX /usr)
else()
  set(CPACK_SET_DESTDIR OFF)
  unset(CPACK_INSTALL_PREFIX)
endif()
