#include "session_fuzz.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <utility>

namespace vgpu::fuzz {
namespace {

using wire::Op;
using wire::pack;

constexpr const char* kPtx = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p) {
    .reg .b64 a;
    ld.param.u64 a, [p];
    st.global.u64 [a], a;
    ret;
})";

}  // namespace

// One of each kind that a program may ask with arguments; they are right if `at` is an array of 4096 bytes.
std::vector<Sent> questions(DevicePtr at) {
    const std::string place, name = "cudaMemcpy";
    Launch launch;
    launch.kernel = "k", launch.grid = {2, 1, 1}, launch.block = {32, 1, 1};
    launch.shared_limits = {{"k", 1024}};
    launch.params.resize(8);
    std::memcpy(launch.params.data(), &at, 8);
    std::vector<Sent> all;
    for (const Way way : {Way::host_to_device, Way::device_to_host, Way::device_to_device}) {
        const bool to_device = way == Way::host_to_device, to_host = way == Way::device_to_host;
        all.push_back({Op::copy, pack(CopyCall{name, way, to_host ? 0 : at, to_device ? 0 : at + 2048, 64, 64, 32, 4, 0,
                                               false, false, place})});
    }
    all.push_back({Op::fill, pack(FillCall{name, at, 64, 32, 4, 7, 0, place})});
    all.push_back({Op::launch, pack(launch, place)});
    all.push_back({Op::wait, pack(Wait{Wait::For::stream, 0, true})});
    all.push_back({Op::load, pack(std::vector<std::uint64_t>{64})});
    all.push_back({Op::function, pack(ModuleId{0}, std::string("k"))});
    all.push_back({Op::symbol, pack(ModuleId{0}, std::string("g"))});
    all.push_back({Op::allocate, pack(std::size_t{100}, true, StreamId{0}, place)});
    all.push_back({Op::release, pack(at, name, false, StreamId{0}, place)});
    all.push_back({Op::find, pack(at)});
    all.push_back({Op::call_failed, pack(name, 1, place)});
    all.push_back({Op::stopped, pack(place, place)});
    all.push_back({Op::host_function, pack(StreamId{0})});
    all.push_back({Op::make_stream, pack(true)});
    for (const Op op :
         {Op::hello, Op::failed, Op::release_all, Op::bytes_free, Op::bytes_total, Op::make_event, Op::errors_seen})
        all.push_back({op, ""});
    all.push_back({Op::record, pack(EventId{0}, StreamId{0})});
    all.push_back({Op::wait_event, pack(StreamId{0}, EventId{0})});
    all.push_back({Op::elapsed, pack(EventId{0}, EventId{0})});
    all.push_back({Op::destroy_stream, pack(StreamId{1})});
    all.push_back({Op::spend, pack(1e-6)});
    all.push_back({Op::add_finding, pack(Kind::unsupported, name, name, place)});
    all.push_back({Op::host_access, pack(at, name, place)});
    return all;
}

std::unique_ptr<Served4096> serve() {
    Options options;
    options.memory_limit = 64 << 20;
    std::string why;
    auto made = std::make_unique<Served4096>();
    made->session = LocalSession::make(options, why);
    ModuleId id = -1;
    if (!made->session || made->session->allocate(4096, false, 0, "", made->array) != Status::ok ||
        made->session->load({{kPtx}, 75}, id) != Status::ok)
        return nullptr;
    return made;
}

Answered ask(Served4096& served, const Sent& sent) {
    Answered out;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return out;
    const timeval soon{0, 20'000};  // a copy to the host may be larger than what fits into the socket
    setsockopt(ends[1], SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof soon);
    wire::Question head;
    head.bytes = static_cast<std::uint32_t>(sent.message.size());
    head.op = sent.op;
    const std::string data(4096, 'x');
    wire::send_all(ends[0], &head, sizeof head);
    wire::send_all(ends[0], sent.message.data(), sent.message.size());
    wire::send_all(ends[0], data.data(), data.size());
    shutdown(ends[0], SHUT_WR);
    out.served = serve_one(*served.session, served.guest, ends[1]);
    close(ends[1]);
    wire::Answer answer;
    out.has_answer = wire::receive_all(ends[0], &answer, sizeof answer);
    out.status = answer.status;
    out.text.resize(out.has_answer ? answer.bytes : 0);
    if (!wire::receive_all(ends[0], out.text.data(), out.text.size())) out.has_answer = false;
    close(ends[0]);
    return out;
}

namespace {

constexpr std::uint64_t kOdd[] = {0, 1, 2, 5, 77, 255, 4096, 0x7fffffff, 0x80000000, 0xffffffff, ~0ull, 1ull << 63};

class Mutator {
  public:
    explicit Mutator(std::uint64_t seed) : random_(seed) {}
    std::uint64_t below(std::uint64_t n) { return random_() % n; }

    void mutate(Sent& sent) {
        switch (below(8)) {
            case 0:
                sent.op = static_cast<Op>(below(256));
                break;
            case 1:
                sent.message.resize(below(sent.message.size() + 1));
                break;
            case 2:
                sent.message.insert(below(sent.message.size() + 1), below(64), static_cast<char>(below(256)));
                break;
            default:
                for (auto changes = 1 + below(3); changes > 0 && !sent.message.empty(); --changes) {
                    const std::size_t size = std::size_t{1} << below(4), where = below(sent.message.size());
                    const std::uint64_t value = below(3) == 0 ? random_() : kOdd[below(std::size(kOdd))];
                    std::memcpy(&sent.message[where], &value, std::min(size, sent.message.size() - where));
                }
        }
    }

  private:
    std::mt19937_64 random_;
};

// A launch that is right but for its size would run for minutes.
bool is_endless(const Sent& sent) {
    Launch launch;
    std::string place;
    return sent.op == Op::launch && wire::unpack(sent.message, launch, place) &&
           std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2] > 64;
}

// What is wrong with the answer to this in this state; "" if nothing is.
std::string wrong(const Sent& sent, CallState state, const Answered& got, const Guest& guest) {
    if (guest.state != state) return "the program has moved the state";
    if (got.served == Served::answered) {
        if (!may_ask(sent.op, state)) return "answered, though it has no business in this state";
        return got.has_answer ? "" : "no answer";
    }
    if (got.served == Served::gone) return may_ask(sent.op, state) ? "" : "no refusal";  // its data were too short
    if (guest.refusal.empty()) return "a refusal without a name";
    if (!may_ask(sent.op, state) && guest.refusal.find("outside of a call") == std::string::npos)
        return "a refusal that does not say why: " + guest.refusal;
    const bool is_told = got.has_answer && got.status == Status::lost && got.text == guest.refusal;
    return is_told || sent.op == Op::copy ? "" : "a refusal that the program is not told";  // amid a copy's data
}

}  // namespace

std::string run(std::uint64_t messages, std::uint64_t seed) {
    constexpr std::uint64_t kInSession = 400;
    Mutator mutator(seed);
    std::unique_ptr<Served4096> served;
    for (std::uint64_t i = 0; i < messages; ++i) {
        if (i % kInSession == 0) {
            if (served) served->session->take_report(true);
            served = serve();
            if (!served) return "no session";
        }
        const std::vector<Sent> all = questions(served->array);
        Sent sent = all[mutator.below(all.size())];
        if (mutator.below(4) != 0) mutator.mutate(sent);
        if (is_endless(sent)) continue;
        if (mutator.below(16) == 0) served->session->reset();
        const CallState state = mutator.below(2) == 0 ? CallState::running : kStates[mutator.below(std::size(kStates))];
        enter(*served->session, served->guest, state, 0);
        const std::size_t left = served->session->bytes_free();
        std::string what = wrong(sent, state, ask(*served, sent), served->guest);
        if (what.empty() && state != CallState::running && served->session->bytes_free() != left)
            what = "memory has changed outside of a call";
        if (!what.empty())
            return "message " + std::to_string(i) + " of seed " + std::to_string(seed) + ", question " +
                   std::to_string(static_cast<int>(sent.op)) + " in state " + std::to_string(static_cast<int>(state)) +
                   ": " + what;
    }
    return "";
}

}  // namespace vgpu::fuzz
