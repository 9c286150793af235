# CUDA Labs. All logic is in tools/setup (Python, standard library only); this file only names the commands.
#
#   make lab3         build labs/03-scan/scan.cu; then ./grader grades it
#   make solution3    build the reference solution
#   make labs         build every lab
#   make virtual-gpu  build the command that runs any CUDA program on the virtual GPU: build/virtual-gpu ./a.out
#   make doctor       list what is installed and what is missing
#   make setup        only set up; any other command does this first
#
#   make test         build everything and run the tests: 12 minutes on 2 cores
#   make test-all     the same with the slow tests and all of others' programs: up to 45 minutes more
#   make check        check formatting, lint and types; builds nothing
#   make format       format all sources
#   make tidy         run clang-tidy on host code
#   make site         make a site of the handouts, documents and reports in build/site; REPORTS=no: without reports
#   make bench        measure the speed of the virtual GPU, and on a GPU the fastest tasks beside CUB and cuSPARSE
#   make lock         rewrite the lock files
#   make release      write the students' archive, without solutions: build/release/cuda-labs-VERSION.tar.gz
#                     LABS="1 3": these labs only; WITH_SOLUTIONS=1: with the source of the solutions;
#                     READY_BUILT=0: without the C++ that students otherwise need not compile
#   make clean        delete build/
#
# For GPUs of compute capability 8.0 and newer only: make lab3 CUDA_ARCH=80. The setting stays until CUDA_ARCH=75.
# Without a network: make setup WHEELS=DIR. To fill DIR on a connected machine: make wheels WHEELS=DIR.
# make setup WITH=class installs what only instructors need (WITH=site, WITH=checks: authors); make wheels takes it too.

PYTHON ?= python3
RUN := $(PYTHON) tools/setup
export WHEELS FILES CUDA_ARCH WITH LABS WITH_SOLUTIONS READY_BUILT REPORTS

.DEFAULT_GOAL := help
.PHONY: help labs solutions virtual-gpu setup wheels lock doctor test test-all check format tidy site bench release clean FORCE

help:
	@sed -n 's/^# \{0,1\}//p' Makefile

lab%: FORCE
	@$(RUN) build $@

solution%: FORCE
	@$(RUN) build $@

labs solutions virtual-gpu setup wheels lock doctor test test-all check format tidy site bench release clean:
	@$(RUN) $@

FORCE:
