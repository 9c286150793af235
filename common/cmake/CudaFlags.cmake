# How every .cu file is compiled: by CMake for labN and solutionN, by the grader for any other file
# (build/lab_commands.json). One list, so that the two cannot differ.
#
# PTX is always in the executable: the virtual GPU reads it, and any GPU from LABS_ARCH on compiles it
# at load time. Where a GPU answered CMake, its machine code is there too, which saves that time.
set(LABS_ARCH 75 CACHE STRING "compute capability that labs may use; 75: any GPU since Turing (make lab3 CUDA_ARCH=80)")
set(LABS_CUDA_ARCH_FLAGS --generate-code=arch=compute_${LABS_ARCH},code=compute_${LABS_ARCH})
foreach(arch IN LISTS CMAKE_CUDA_ARCHITECTURES_NATIVE)
    string(REGEX MATCH "^[0-9]+[af]?" number "${arch}")
    if(number GREATER LABS_ARCH)
        list(APPEND LABS_CUDA_ARCH_FLAGS --generate-code=arch=compute_${number},code=sm_${number})
    endif()
endforeach()
list(REMOVE_DUPLICATES LABS_CUDA_ARCH_FLAGS)
# The same for the second link, of device code, where kernels launch kernels. In a file: CMake splits link options at
# commas.
set(LABS_DEVICE_LINK_OPTIONS ${CMAKE_BINARY_DIR}/device_link_options.txt)
list(JOIN LABS_CUDA_ARCH_FLAGS "\n" device_link_options)
file(CONFIGURE OUTPUT ${LABS_DEVICE_LINK_OPTIONS} CONTENT "${device_link_options}\n" @ONLY)
set(LABS_CUDA_FLAGS
    --no-compress  # the virtual GPU reads the PTX as it lies in the file
    -lineinfo
    ${LABS_CUDA_ARCH_FLAGS}
    -Xcompiler=-Wall,-Wextra
    -Xcompiler=-Wno-unused-parameter  # an unfinished task does not use all of its parameters
    -Xcompiler=-fno-optimize-sibling-calls)  # a launch that ends a function still has its own line

# Goes before nvcc, here and in the grader.
set(LABS_CUDA_LAUNCHER ${PROJECT_SOURCE_DIR}/common/cmake/compile_cuda.sh)

# Only for the files in this repository: a student's warning is never an error.
set(LABS_CUDA_WERROR -Werror=all-warnings -Xcompiler=-Werror)

set(LABS_CXX_FLAGS -Wall -Wextra)
if(LABS_WERROR)
    list(APPEND LABS_CXX_FLAGS -Werror)
endif()

# LD_LIBRARY_PATH must win over the path in the executable (it does over RUNPATH, not over RPATH):
# the runner puts the virtual GPU's libcudart before the real one that way.
get_filename_component(LABS_CUDART_DIR "${CUDA_cudart_LIBRARY}" DIRECTORY)
set(LABS_LINK_FLAGS -Wl,--enable-new-dtags -Wl,-rpath,${LABS_CUDART_DIR})
