# GoogleTest: the sources that FETCHCONTENT_SOURCE_DIR_GOOGLETEST names, else the system's library,
# else the system's sources, else (LABS_TESTS=ON) a pinned release from its project's site.
# Sets LABS_HAVE_TESTS. LABS_GTEST_FROM says where it came from.
set(LABS_HAVE_TESTS OFF)
if(LABS_TESTS STREQUAL "OFF")
    return()
endif()
if(NOT FETCHCONTENT_SOURCE_DIR_GOOGLETEST)
    find_package(GTest CONFIG QUIET)
    if(GTest_FOUND)
        set(LABS_HAVE_TESTS ON)
        set(LABS_GTEST_FROM "the system, ${GTest_VERSION}")
    elseif(EXISTS /usr/src/googletest/CMakeLists.txt)
        set(FETCHCONTENT_SOURCE_DIR_GOOGLETEST /usr/src/googletest)
    endif()
endif()
if(NOT LABS_HAVE_TESTS AND (FETCHCONTENT_SOURCE_DIR_GOOGLETEST OR LABS_TESTS STREQUAL "ON"))
    include(FetchContent)
    set(INSTALL_GTEST OFF CACHE BOOL "")
    set(BUILD_GMOCK OFF CACHE BOOL "")
    FetchContent_Declare(googletest
        URL https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz
        URL_HASH SHA256=8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7
        DOWNLOAD_EXTRACT_TIMESTAMP ON)
    FetchContent_MakeAvailable(googletest)
    set(LABS_HAVE_TESTS ON)
    set(LABS_GTEST_FROM "${googletest_SOURCE_DIR}")
    if(NOT TARGET GTest::gtest)
        add_library(GTest::gtest ALIAS gtest)
    endif()
endif()
if(LABS_HAVE_TESTS)
    message(STATUS "GoogleTest: ${LABS_GTEST_FROM}")
else()
    message(STATUS "GoogleTest: not found, tests are not built (apt-get install libgtest-dev, or -DLABS_TESTS=ON to fetch it)")
endif()

# For programs of tests: compiled in half the time, as most of it goes into GoogleTest's headers and optimisation.
# LIKE: a program of tests with the same options, whose compiled headers are taken.
function(labs_compile_tests_quickly target)
    cmake_parse_arguments(arg "" "LIKE" "" ${ARGN})
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>)
    if(TARGET "${arg_LIKE}")  # not in an archive for students
        target_precompile_headers(${target} REUSE_FROM ${arg_LIKE})
    elseif(NOT arg_LIKE)
        get_target_property(sources ${target} SOURCES)
        list(LENGTH sources count)
        if(count GREATER 3 AND NOT CMAKE_UNITY_BUILD)  # compiling the headers takes as long as three files
            target_precompile_headers(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:<gtest/gtest.h$<ANGLE-R>>)
        endif()
    endif()
endfunction()
