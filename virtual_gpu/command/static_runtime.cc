// For programs that have CUDA's runtime in them, which is nvcc's default: a library to preload. It finds the runtime's
// functions in the symbol tables of the program and of its libraries, and makes each begin with a jump to the virtual
// GPU's function of the same name. The runtime's entries are one object file of libcudart_static.a, so that all of them
// are there, and no caller has a copy of its own.
//
// The linker runs its constructor before any other (-z initfirst), also before those which register kernels. It must
// not need what other constructors prepare: it allocates nothing, and prints with write().
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>

extern "C" int vgpuConfigure(const char*, const char*);  // only the virtual GPU's library has it

namespace {

constexpr std::size_t kJump = 14;  // jmp *0(%rip) and the address
constexpr std::size_t kAligned = 16;

void say(const char* text) {
    for (const char* part : {"virtual GPU: ", text, "\n"}) {
        if (write(STDERR_FILENO, part, std::strlen(part)) < 0) {
            return;
        }
    }
}

// A file of the process, to read.
class File {
  public:
    explicit File(const char* path) {
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        struct stat about {};
        if (file >= 0 && fstat(file, &about) == 0 && about.st_size > 0) {
            bytes_ = static_cast<std::size_t>(about.st_size);
            void* at = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
            start_ = at == MAP_FAILED ? nullptr : static_cast<const char*>(at);
        }
        if (file >= 0) {
            close(file);
        }
    }
    ~File() {
        if (start_ != nullptr) {
            munmap(const_cast<char*>(start_), bytes_);
        }
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    // `count` values at this offset; null: they are not all in the file.
    template <class T>
    const T* at(std::uint64_t offset, std::uint64_t count = 1) const {
        const bool fits = start_ != nullptr && offset <= bytes_ && count <= (bytes_ - offset) / sizeof(T);
        return fits ? reinterpret_cast<const T*>(start_ + offset) : nullptr;
    }

  private:
    const char* start_ = nullptr;
    std::size_t bytes_ = 0;
};

struct Symbols {
    const Elf64_Sym* first = nullptr;
    std::uint64_t count = 0;
    const char* names = nullptr;
    std::uint64_t names_bytes = 0;

    const char* name_of(const Elf64_Sym& symbol) const {
        const bool ends = symbol.st_name < names_bytes &&
                          std::memchr(names + symbol.st_name, 0, names_bytes - symbol.st_name) != nullptr;
        return ends ? names + symbol.st_name : "";
    }
};

Symbols symbols_of(const File& file) {
    Symbols found;
    const auto* head = file.at<Elf64_Ehdr>(0);
    if (head == nullptr || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) {
        return found;
    }
    const auto* sections = file.at<Elf64_Shdr>(head->e_shoff, head->e_shnum);
    for (std::size_t i = 0; sections != nullptr && i < head->e_shnum; ++i) {
        const Elf64_Shdr& table = sections[i];
        if (table.sh_type != SHT_SYMTAB || table.sh_link >= head->e_shnum) {
            continue;
        }
        const Elf64_Shdr& names = sections[table.sh_link];
        found.count = table.sh_size / sizeof(Elf64_Sym);
        found.first = file.at<Elf64_Sym>(table.sh_offset, found.count);
        found.names = file.at<char>(names.sh_offset, names.sh_size);
        found.names_bytes = names.sh_size;
        if (found.first == nullptr || found.names == nullptr) {
            return {};
        }
    }
    return found;
}

const void* base_of(const void* address) {
    Dl_info about{};
    return dladdr(address, &about) != 0 ? about.dli_fbase : nullptr;
}

const void* our_base() { return base_of(reinterpret_cast<const void*>(&vgpuConfigure)); }

// The virtual GPU's function of this name; null: it has none. Not by dlopen(), which would run constructors now: libc's
// own among them, before it has the environment.
void* ours(const char* name) {
    const bool is_cuda = std::strncmp(name, "cuda", 4) == 0 || std::strncmp(name, "__cuda", 6) == 0;
    void* found = is_cuda ? dlsym(RTLD_NEXT, name) : nullptr;
    return found != nullptr && base_of(found) == our_base() ? found : nullptr;
}

struct Entry {
    unsigned char* at;
    std::size_t room;
    void* target;
};

// Calls body(entry) for each function of CUDA's runtime in the object.
template <class Body>
void for_each_entry(const Symbols& symbols, std::uintptr_t base, Body&& body) {
    for (std::uint64_t i = 0; i < symbols.count; ++i) {
        const Elf64_Sym& symbol = symbols.first[i];
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0) {
            continue;
        }
        if (void* target = ours(symbols.name_of(symbol)); target != nullptr) {
            // Functions of the runtime begin at multiples of 16: what is left to the next one is padding.
            const bool padded = symbol.st_value % kAligned == 0;
            const std::size_t room =
                padded ? (symbol.st_size + kAligned - 1) / kAligned * kAligned : std::size_t{symbol.st_size};
            body(Entry{reinterpret_cast<unsigned char*>(base + symbol.st_value), room, target});
        }
    }
}

void write_jump(unsigned char* at, const void* target) {
    constexpr unsigned char kCode[] = {0xff, 0x25, 0, 0, 0, 0};
    std::memcpy(at, kCode, sizeof kCode);
    std::memcpy(at + sizeof kCode, &target, sizeof target);
}

bool redirect(const Symbols& symbols, std::uintptr_t base) {
    bool is_runtime = false, fits = true;
    std::uintptr_t first = UINTPTR_MAX, last = 0;
    for_each_entry(symbols, base, [&](const Entry& entry) {
        const auto at = reinterpret_cast<std::uintptr_t>(entry.at);
        first = at < first ? at : first;
        last = at + entry.room > last ? at + entry.room : last;
        is_runtime = true;
        fits = fits && entry.room >= kJump;
    });
    if (!is_runtime) {
        return true;
    }
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    first = first / page * page;
    void* const start = reinterpret_cast<void*>(first);
    if (!fits || mprotect(start, last - first, PROT_READ | PROT_WRITE) != 0) {
        return false;
    }
    for_each_entry(symbols, base, [](const Entry& entry) { write_jump(entry.at, entry.target); });
    return mprotect(start, last - first, PROT_READ | PROT_EXEC) == 0;
}

int visit(dl_phdr_info* object, std::size_t, void*) {
    const bool is_program = object->dlpi_name == nullptr || *object->dlpi_name == '\0';
    if (!is_program && our_base() == reinterpret_cast<const void*>(object->dlpi_addr)) {
        return 0;
    }
    const File file(is_program ? "/proc/self/exe" : object->dlpi_name);
    if (!redirect(symbols_of(file), object->dlpi_addr)) {
        say("CUDA's runtime in the program could not be replaced: compile with nvcc -cudart shared");
        _exit(126);
    }
    return 0;
}

__attribute__((constructor)) void redirect_all() { dl_iterate_phdr(visit, nullptr); }

}  // namespace
