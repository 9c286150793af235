"""For all tests: ^C works, even where the tests run in the background of a script."""

import signal

# Such a process ignores SIGINT, and so would the programs that the tests start and interrupt: they would never end.
signal.signal(signal.SIGINT, signal.default_int_handler)
