# An archive of make release has most of the C++ ready built, in ready/. tools/setup/ready.py says which of it fits this
# machine and these sources; the rest is compiled.
set(LABS_READY "" CACHE STRING "what is not to be compiled: virtual_gpu, common, and folders of labs")
set(LABS_READY_FOLDER ${PROJECT_SOURCE_DIR}/ready)

# Sets `out` to the ready objects of a target.
function(labs_ready_objects out target)
    file(GLOB objects CONFIGURE_DEPENDS ${LABS_READY_FOLDER}/objects/${target}/*.o)
    if(NOT objects)
        message(FATAL_ERROR "ready/objects/${target} is missing: unpack the archive again, or run make clean")
    endif()
    set(${out} ${objects} PARENT_SCOPE)
endfunction()

# Sets `out` to the ready objects of a target of common/, or to the sources that follow.
function(labs_ready_or out target)
    set(found ${ARGN})
    if("common" IN_LIST LABS_READY)
        labs_ready_objects(found ${target})
    endif()
    set(${out} ${found} PARENT_SCOPE)
endfunction()

# A static library of common/, from ready objects or from the sources.
function(labs_add_library target)
    labs_ready_or(sources ${target} ${ARGN})
    add_library(${target} STATIC ${sources})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# The virtual GPU's libraries and command, copied to where they are otherwise built.
function(labs_ready_virtual_gpu)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${LABS_READY_FOLDER}/virtual_gpu ${LABS_READY_FOLDER}/virtual_gpu/*)
    foreach(file IN LISTS files)
        get_filename_component(folder ${CMAKE_BINARY_DIR}/${file} DIRECTORY)
        file(MAKE_DIRECTORY ${folder})
        file(COPY_FILE ${LABS_READY_FOLDER}/virtual_gpu/${file} ${CMAKE_BINARY_DIR}/${file} ONLY_IF_DIFFERENT)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${LABS_READY_FOLDER}/virtual_gpu/${file})
    endforeach()
    foreach(folder IN ITEMS virtual_gpu virtual_gpu/for_runners)
        file(CREATE_LINK libcudart.so.13 ${CMAKE_BINARY_DIR}/${folder}/libcudart.so SYMBOLIC)
    endforeach()
    add_custom_target(vgpu_runtime)
    add_custom_target(virtual-gpu)
    install(PROGRAMS ${CMAKE_BINARY_DIR}/virtual-gpu DESTINATION bin COMPONENT virtual_gpu)
    install(DIRECTORY ${CMAKE_BINARY_DIR}/virtual_gpu DESTINATION lib COMPONENT virtual_gpu PATTERN for_runners EXCLUDE)
endfunction()
