"""Where compilers and students' programs run: out of reach of everything that is not theirs."""
