"""The system calls that an untrusted program may not make, as a seccomp filter: for bubblewrap's --seccomp, and for a
program without a cage.

The namespaces already keep other processes, files and networks out of reach. The filter forbids what would help to
break out of them (parts of the kernel that have had holes and that no lab needs), and memory that no limit counts.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from collections.abc import Callable
from functools import cache

# name: number on x86-64, on ARM64; -1: not there
_DENIED = {
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440), "process_mrelease": (448, 448),
    "personality": (135, 92),
    # namespaces and mounts
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    # the machine
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    "syslog": (103, 116), "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266),
    "adjtimex": (159, 171), "sethostname": (170, 161), "setdomainname": (171, 162), "vhangup": (153, 58),
    "iopl": (172, -1), "ioperm": (173, -1), "modify_ldt": (154, -1),
    # parts of the kernel that no lab needs
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "fanotify_init": (300, 262),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    # memory that belongs to no process
    "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180), "memfd_secret": (447, 447),
    "vmsplice": (278, 75),
}  # fmt: skip
# Memory of the kernel: an anonymous file, and a watched file's record, which no limit of ours counts.
_MEMFD_CREATE, _INOTIFY_INIT, _INOTIFY_INIT1 = (319, 279), (253, -1), (294, 26)
_FORK, _VFORK, _CLONE, _CLONE3 = (57, -1), (58, -1), (56, 220), (435, 435)
_SOCKET, _SOCKETPAIR, _SETSOCKOPT, _PRLIMIT = (41, 198), (53, 199), (54, 208), (302, 261)
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column above, AUDIT_ARCH_*

_AF_UNIX = 1
_SO_SNDBUF, _SO_SNDBUFFORCE = 7, 32  # no limit counts what waits in a socket, and each could hold megabytes
_CLONE_THREAD = 0x10000
_CLONE_NAMESPACES = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_X32 = 0x40000000  # x86-64's second set of numbers

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # instructions of classic BPF
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # where they are in seccomp_data

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, operand


_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2


def supported() -> bool:
    return platform.machine() in _MACHINES


def installer(code: bytes) -> Callable[[], None]:
    """A function that a new process calls before it becomes another program. Where it cannot filter, nothing happens.

    The kernel needs no privilege for it, as a filter's process and its children can gain none.
    """
    libc = ctypes.CDLL(None)
    instructions = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(code) // struct.calcsize("HBBI"), ctypes.addressof(instructions))
    held = ctypes.create_string_buffer(header, len(header)), instructions

    def install() -> None:
        libc.prctl(_PR_SET_NO_NEW_PRIVS, *map(ctypes.c_ulong, (1, 0, 0, 0)))
        libc.prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_MODE_FILTER), ctypes.byref(held[0]))

    return install


@cache
def program(children: bool, memfd: bool) -> bytes:
    """The filter for this machine. Without `children`, new threads are allowed, new processes are not.

    Without `memfd`, files in the kernel's memory cannot be made or held there by watches.
    """
    column, architecture = _MACHINES[platform.machine()]
    rules = [_always(numbers[column], errno.EPERM) for numbers in _DENIED.values()]
    rules.append(_always(_CLONE3[column], errno.ENOSYS))  # its flags cannot be seen; glibc falls back to clone
    rules.append(_if_bits(_CLONE[column], _CLONE_NAMESPACES, True))
    if not children:
        rules += [_always(call[column], errno.EPERM) for call in (_FORK, _VFORK)]
        rules.append(_if_bits(_CLONE[column], _CLONE_THREAD, False))
    if not memfd:
        rules += [_always(call[column], errno.EPERM) for call in (_MEMFD_CREATE, _INOTIFY_INIT, _INOTIFY_INIT1)]
    rules += [_unless_equal(call[column], _AF_UNIX, errno.EAFNOSUPPORT) for call in (_SOCKET, _SOCKETPAIR)]
    rules += [_if_equal(_SETSOCKOPT[column], 2, name, errno.EPERM) for name in (_SO_SNDBUF, _SO_SNDBUFFORCE)]
    rules.append(_unless_equal(_PRLIMIT[column], 0, errno.EPERM))  # pid 0: the caller
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
    ]
    code += [instruction for rule in rules for instruction in rule]
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)


# Each rule expects the call's number to be loaded, and passes on to the next rule unless the call is its own.


def _always(number: int, error: int) -> list[Instruction]:
    return [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _FAIL | error)] if number >= 0 else []


def _unless_equal(number: int, value: int, error: int) -> list[Instruction]:
    """Fails unless the first argument, an int, has this value."""
    return [
        (_EQUAL, 0, 4, number),
        (_LOAD, 0, 0, _ARGUMENTS),
        (_EQUAL, 0, 1, value),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _FAIL | error),
    ]


def _if_equal(number: int, argument: int, value: int, error: int) -> list[Instruction]:
    """Fails if the argument, an int, has this value; otherwise the next rule decides."""
    return [
        (_EQUAL, 0, 4, number),
        (_LOAD, 0, 0, _ARGUMENTS + 8 * argument),
        (_EQUAL, 0, 1, value),
        (_RETURN, 0, 0, _FAIL | error),
        (_LOAD, 0, 0, _NUMBER),
    ]


def _if_bits(number: int, bits: int, present: bool) -> list[Instruction]:
    """Fails if the first argument has one of the bits, or with `present` false if none; else the next rule decides."""
    to_fail = (0, 1) if present else (1, 0)
    return [
        (_EQUAL, 0, 4, number),
        (_LOAD, 0, 0, _ARGUMENTS),
        (_ANY_BIT, *to_fail, bits),
        (_RETURN, 0, 0, _FAIL | errno.EPERM),
        (_LOAD, 0, 0, _NUMBER),
    ]
