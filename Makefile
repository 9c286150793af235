# CUDA Labs. All logic is in tools/setup (Python, standard library only); this file only names the commands.
#
#   make lab3             build labs/03-scan/scan.cu; ./grader then grades it
#   make solution3        build the reference solution
#   make labs             build every lab           make test     everything this repository checks
#   make doctor           what is there, what not   make check    the quick part of it, for every day
#   make setup            only set up               make format   format all sources
#   make bench            speed of the virtual GPU  make clean    remove build/
#
# make setup WHEELS=DIR works without a network; make wheels WHEELS=DIR fills DIR on a machine that has one.

PYTHON ?= python3
RUN := $(PYTHON) tools/setup
export WHEELS FILES

.DEFAULT_GOAL := help
.PHONY: help labs solutions setup wheels lock doctor test check format tidy bench clean FORCE

help:
	@sed -n 's/^# \{0,1\}//p' Makefile

lab% solution%: FORCE
	@$(RUN) build $@

labs solutions setup wheels lock doctor test check format tidy bench clean:
	@$(RUN) $@

FORCE:
