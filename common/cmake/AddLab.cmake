# add_lab(NUMBER 3 NAME scan FOLDER 03-scan) makes, from labs/03-scan and solutions/03-scan:
#   lab3, solution3   executables build/lab3, build/solution3: the student's file and the solution's
#   lab3_parts        all that the grader links an arbitrary file against (build/lab_commands.json)
#   scan_not_started  every task as not started, from tests/submissions/03-scan/not_started.cc: completes the program of a
#                     mistake, which has one task. Never linked with a student's file: there, a missing function is CE
#   scan_test         GoogleTest on the solution, run by ctest; scan_skeleton_test the same on lab3's file
# A lab's programs are linked with the parts of common/toolbox that [uses] in its lab.toml names, and with no others.
# DYNAMIC_PARALLELISM: kernels may launch kernels. The student's file is compiled with -rdc=true, device-linked, and linked
# with CUDA's device runtime.
#   oracle3           build/liboracle3.so: inputs and answers, for the grader
# finish_labs() writes build/lab_commands.json.

set_property(GLOBAL PROPERTY LABS_NUMBERS "")

# One executable: the file's own sources, the trusted parts of the lab, the runner.
function(labs_add_runner target name)
    add_executable(${target} ${ARGN} $<TARGET_OBJECTS:${name}_parts> $<TARGET_OBJECTS:${name}_cases>)
    target_link_libraries(${target} PRIVATE ${LABS_PRIMITIVES} harness)
    labs_target_options(${target})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    labs_dynamic_parallelism(${target})
    # What a run needs beside the executable.
    add_dependencies(${target} oracle${LAB_NUMBER} device)
    if(TARGET vgpu_runtime)
        add_dependencies(${target} vgpu_runtime)
    endif()
endfunction()

function(labs_target_options target)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/common ${LABS_THIS_FOLDER})
    target_compile_options(${target} PRIVATE
        "$<$<COMPILE_LANGUAGE:CXX>:${LABS_CXX_FLAGS}>"
        "$<$<COMPILE_LANGUAGE:CUDA>:${LABS_CUDA_FLAGS}>")
    if(LABS_WERROR)
        target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${LABS_CUDA_WERROR}>")
    endif()
    set_target_properties(${target} PROPERTIES
        CUDA_ARCHITECTURES OFF  # LABS_CUDA_FLAGS names them
        CUDA_COMPILER_LAUNCHER ${LABS_CUDA_LAUNCHER})
endfunction()

# Objects of a lab's trusted host C++: ready built, or compiled.
function(labs_add_objects target folder)
    if(folder IN_LIST LABS_READY)
        add_library(${target} OBJECT IMPORTED GLOBAL)
        labs_ready_objects(objects ${target})
        set_target_properties(${target} PROPERTIES IMPORTED_OBJECTS "${objects}")
        return()
    endif()
    add_library(${target} OBJECT ${ARGN})
    target_link_libraries(${target} PRIVATE CUDA::toolkit)
    labs_target_options(${target})
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${LABS_UNITY})
endfunction()

# A second link, of device code, if the lab asks for it.
function(labs_dynamic_parallelism target)
    if(LAB_DYNAMIC_PARALLELISM)
        set_target_properties(${target} PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_RESOLVE_DEVICE_SYMBOLS ON)
        target_link_options(${target} PRIVATE "$<DEVICE_LINK:--options-file=${LABS_DEVICE_LINK_OPTIONS}>")
        target_link_libraries(${target} PRIVATE ${CUDA_cudadevrt_LIBRARY})
    endif()
endfunction()

# Sets LABS_PRIMITIVES: for toolbox = ["primitives.h"] in lab.toml, the archive primitives.
function(labs_ready_made manifest)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${manifest})
    file(STRINGS ${manifest} line REGEX "^toolbox = ")
    string(REGEX MATCHALL "[a-z_]+[.]h" headers "${line}")
    list(TRANSFORM headers REPLACE "[.]h$" "")
    list(REMOVE_ITEM headers block)  # a header alone
    list(SORT headers ORDER DESCENDING)  # the linker wants callers first: primitives_sort before primitives
    set(LABS_PRIMITIVES ${headers} PARENT_SCOPE)
endfunction()

function(add_lab)
    cmake_parse_arguments(LAB "DYNAMIC_PARALLELISM" "NUMBER;NAME;FOLDER" "" ${ARGN})
    set(folder ${PROJECT_SOURCE_DIR}/labs/${LAB_FOLDER})
    set(name ${LAB_NAME})
    set(LABS_THIS_FOLDER ${folder})
    file(GLOB there CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/${name}* ${folder}/grading/*.cc)  # also sees later ones
    foreach(part IN ITEMS grading/cases.cc grading/oracle.cc grading/bindings.cc ${name}.cu ${name}.h)
        if(NOT part IN_LIST there)
            if(EXISTS ${folder})
                message(STATUS "lab ${LAB_NUMBER} ${name}: left out, it has no ${part} yet")
            endif()
            return()
        endif()
    endforeach()

    labs_ready_made(${folder}/grading/lab.toml)

    if(LAB_DYNAMIC_PARALLELISM AND NOT CUDA_cudadevrt_LIBRARY)
        message(STATUS "lab ${LAB_NUMBER} ${name}: left out, nvcc has no libcudadevrt.a beside it (make doctor)")
        return()
    endif()

    # Host C++ that knows inputs (runner and oracle) and answers (oracle only), and what binds the runner to this lab: calls
    # of the student's functions.
    file(GLOB cases CONFIGURE_DEPENDS ${folder}/grading/*.cc)  # what is neither oracle nor bindings
    list(FILTER cases EXCLUDE REGEX "/(oracle|bindings)\\.cc$|_test\\.cc$")
    set(this_lab ${CMAKE_CURRENT_BINARY_DIR}/generated/${name}_this_lab.cc)
    configure_file(${PROJECT_SOURCE_DIR}/common/cmake/this_lab.cc.in ${this_lab} @ONLY)
    set(with_oracle ${CMAKE_CURRENT_BINARY_DIR}/generated/${name}_lab_and_oracle.cc)
    configure_file(${PROJECT_SOURCE_DIR}/common/cmake/lab_and_oracle.cc.in ${with_oracle} @ONLY)
    labs_add_objects(${name}_cases ${LAB_FOLDER} ${cases})
    labs_add_objects(${name}_oracle ${LAB_FOLDER} ${folder}/grading/oracle.cc ${with_oracle})
    labs_add_objects(${name}_parts ${LAB_FOLDER} ${folder}/grading/bindings.cc ${this_lab})
    labs_add_oracle(oracle${LAB_NUMBER} $<TARGET_OBJECTS:${name}_cases> $<TARGET_OBJECTS:${name}_oracle>)
    set_target_properties(oracle${LAB_NUMBER} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

    labs_add_runner(lab${LAB_NUMBER} ${name} ${folder}/${name}.cu)
    file(GLOB solution CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/solutions/${LAB_FOLDER}/*.cu)
    list(FILTER solution EXCLUDE REGEX "/tuned\\.cu$")  # a record: graded and measured as a file, never the reference
    if(solution)
        add_library(${name}_solution OBJECT ${solution})  # compiled once for the program and its test
        target_link_libraries(${name}_solution PRIVATE CUDA::toolkit)
        labs_target_options(${name}_solution)
        if(LAB_DYNAMIC_PARALLELISM)
            set_target_properties(${name}_solution PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
        endif()
    else()  # an archive of make release has it compiled
        file(GLOB reference CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/solutions/${LAB_FOLDER}/reference/*.o)
        if(reference)
            add_library(${name}_solution OBJECT IMPORTED)
            set_target_properties(${name}_solution PROPERTIES IMPORTED_OBJECTS "${reference}")
        endif()
    endif()
    if(TARGET ${name}_solution)
        labs_add_runner(solution${LAB_NUMBER} ${name} $<TARGET_OBJECTS:${name}_solution>)
        set_target_properties(solution${LAB_NUMBER} PROPERTIES LINKER_LANGUAGE CUDA)
    endif()
    file(GLOB not_started CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/submissions/${LAB_FOLDER}/not_started.cc)
    if(not_started)
        add_library(${name}_not_started OBJECT EXCLUDE_FROM_ALL ${not_started})
        target_link_libraries(${name}_not_started PRIVATE CUDA::toolkit)
        labs_target_options(${name}_not_started)
    endif()
    add_custom_target(lab${LAB_NUMBER}_parts)
    add_dependencies(lab${LAB_NUMBER}_parts ${name}_parts ${name}_cases ${LABS_PRIMITIVES} harness calling grading oracle${LAB_NUMBER} device)
    if(TARGET vgpu_runtime)
        add_dependencies(lab${LAB_NUMBER}_parts vgpu_runtime)
    endif()

    if(LABS_HAVE_TESTS AND EXISTS ${folder}/grading/${name}_test.cc)
        file(GLOB tests CONFIGURE_DEPENDS ${folder}/grading/${name}_*test.cc)  # and more, if one file would be too long
        labs_add_test(${name}_skeleton_test ${name} ${tests} ${folder}/${name}.cu)
        set_target_properties(${name}_skeleton_test PROPERTIES EXCLUDE_FROM_ALL ON)
        if(TARGET ${name}_solution)
            labs_add_test(${name}_test ${name} ${tests} $<TARGET_OBJECTS:${name}_solution>)
            add_test(NAME ${name}_test COMMAND ${name}_test)
            set_tests_properties(${name}_test PROPERTIES LABELS slow)  # grading the solution shows most of it in less time
        endif()
    endif()

    set_property(GLOBAL APPEND PROPERTY LABS_NUMBERS ${LAB_NUMBER})
    set_property(GLOBAL PROPERTY LAB_${LAB_NUMBER}_NAME ${name})
    set_property(GLOBAL PROPERTY LAB_${LAB_NUMBER}_FOLDER ${LAB_FOLDER})
    set_property(GLOBAL PROPERTY LAB_${LAB_NUMBER}_PRIMITIVES ${LABS_PRIMITIVES})
    set_property(GLOBAL PROPERTY LAB_${LAB_NUMBER}_DYNAMIC_PARALLELISM ${LAB_DYNAMIC_PARALLELISM})
    set_property(GLOBAL PROPERTY LAB_${LAB_NUMBER}_SOLUTION ${solution})
endfunction()

function(labs_add_test target name)
    add_executable(${target} ${ARGN} $<TARGET_OBJECTS:${name}_parts> $<TARGET_OBJECTS:${name}_cases>
        $<TARGET_OBJECTS:${name}_oracle>)
    target_link_libraries(${target} PRIVATE ${LABS_PRIMITIVES} harness_test harness GTest::gtest)
    labs_target_options(${target})
    labs_compile_tests_quickly(${target} LIKE harness_unit_test)
    labs_dynamic_parallelism(${target})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    if(TARGET vgpu_runtime)
        add_dependencies(${target} vgpu_runtime)
    endif()
endfunction()

function(finish_labs)
    get_property(numbers GLOBAL PROPERTY LABS_NUMBERS)
    labs_write_commands("${numbers}")
endfunction()

# The grader's build of any one file: arguments, with @SOURCE@, @OBJECT@, @DEVICE_LINKED@ and @EXECUTABLE@ to be put in.
# device_link is empty unless the lab has dynamic parallelism.
function(labs_write_commands numbers)
    set(compile "${CMAKE_CUDA_COMPILER}" -std=c++20 -O2 -g ${LABS_CUDA_FLAGS})
    set(host_compiler "")
    if(CMAKE_CUDA_HOST_COMPILER)
        set(host_compiler -ccbin "${CMAKE_CUDA_HOST_COMPILER}")
    endif()
    list(APPEND compile ${host_compiler})
    separate_arguments(extra NATIVE_COMMAND "${CMAKE_CUDA_FLAGS}")
    list(APPEND compile ${extra})
    set(json "{\n  \"version\": 1,\n  \"source\": \"${PROJECT_SOURCE_DIR}\",\n  \"build\": \"${CMAKE_BINARY_DIR}\",\n")
    string(APPEND json "  \"cuda\": \"${CMAKE_CUDA_COMPILER_VERSION}\",\n  \"labs\": [")
    set(separator "")
    foreach(number IN LISTS numbers)
        get_property(name GLOBAL PROPERTY LAB_${number}_NAME)
        get_property(folder GLOBAL PROPERTY LAB_${number}_FOLDER)
        get_property(solution GLOBAL PROPERTY LAB_${number}_SOLUTION)
        get_property(primitives GLOBAL PROPERTY LAB_${number}_PRIMITIVES)
        list(TRANSFORM primitives REPLACE "(.+)" "$<TARGET_FILE:\\1>")
        get_property(dynamic_parallelism GLOBAL PROPERTY LAB_${number}_DYNAMIC_PARALLELISM)
        set(arguments ${compile})
        set(device_linked "")
        set(device_link_json "")
        if(dynamic_parallelism)
            list(APPEND arguments -rdc=true)
            set(device_linked @DEVICE_LINKED@ ${CUDA_cudadevrt_LIBRARY})
            set(device_link "${CMAKE_CUDA_COMPILER}" ${LABS_CUDA_ARCH_FLAGS} ${host_compiler} -dlink @OBJECT@
                ${CUDA_cudadevrt_LIBRARY} -o @DEVICE_LINKED@)
            list(JOIN device_link "\", \"" device_link_json)
            set(device_link_json "\"${device_link_json}\"")
        endif()
        list(APPEND arguments "-I${PROJECT_SOURCE_DIR}/common" "-I${PROJECT_SOURCE_DIR}/labs/${folder}"
            -c @SOURCE@ -o @OBJECT@)
        list(JOIN arguments "\", \"" compile_json)
        string(REPLACE "," "$<COMMA>" link_flags "${LABS_LINK_FLAGS}")
        set(link "${CMAKE_CXX_COMPILER}" @OBJECT@ $<JOIN:$<TARGET_OBJECTS:${name}_parts>,$<SEMICOLON>>
            $<JOIN:$<TARGET_OBJECTS:${name}_cases>,$<SEMICOLON>> ${primitives} $<TARGET_FILE:harness>
            $<TARGET_FILE:calling> $<TARGET_FILE:grading> ${PNG_LIBRARIES} ${device_linked} ${CUDA_cudart_LIBRARY} ${link_flags} -pthread -ldl -o @EXECUTABLE@)
        # TARGET_OBJECTS is a list; JOIN makes it JSON strings.
        set(link_json "$<JOIN:${link},\", \">")
        set(not_started_json "")
        if(TARGET ${name}_not_started)
            set(not_started_json "\"$<TARGET_OBJECTS:${name}_not_started>\"")
        endif()
        list(JOIN solution "\", \"" solution_json)
        if(solution_json)
            set(solution_json "\"${solution_json}\"")
        endif()
        string(APPEND json "${separator}\n    {\n"
            "      \"number\": ${number}, \"name\": \"${name}\", \"folder\": \"${folder}\",\n"
            "      \"parts\": \"lab${number}_parts\",\n"
            "      \"solution\": [${solution_json}],\n"
            "      \"compile\": [\"${compile_json}\"],\n"
            "      \"device_link\": [${device_link_json}],\n"
            "      \"link\": [\"${link_json}\"],\n"
            "      \"not_started\": [${not_started_json}]\n    }")
        set(separator ",")
    endforeach()
    string(APPEND json "\n  ]\n}\n")
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/lab_commands.json CONTENT "${json}")
endfunction()
