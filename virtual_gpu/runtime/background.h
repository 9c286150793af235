// Kernels beside the host. A launch runs to its end before the call returns, unless the kernel waits for what the host
// does after the launch: for a flag in memory that both share, or for a copy in another stream. Then the call returns,
// and the kernel goes on in the background: its turns and the calls of the API exclude each other by the runtime's
// lock, while the host's accesses to shared memory need none. What is put into streams behind such a kernel is held
// until it has ended, and so is every launch, as only one kernel runs at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "virtual_gpu/runtime/cuda_api.h"
#include "virtual_gpu/session/local_session.h"

namespace vgpu::runtime {

class Runtime;
struct Stream;

class Background final : public HostSide {
  public:
    using Work = std::function<cudaError_t(Runtime&, Stream&)>;
    explicit Background(Runtime& runtime) : runtime_(runtime) {}

    // All of these with the runtime's lock, but where noted.
    // Runs a kernel of the stream: its error, or success if it goes on in the background.
    cudaError_t launch(Stream&, std::function<cudaError_t()>);
    bool is_running() const { return is_running_; }  // a kernel is in the background, or work is held; without the lock
    bool is_me() const { return std::this_thread::get_id() == worker_; }
    // Does work in this stream come after what is in the background?
    bool is_ahead_of(const Stream&) const;
    // Called behind all that is held. `host`, if any, is called then without the lock. Returns a number.
    std::uint64_t hold(Stream&, bool is_kernel, Work, std::function<void()> host = {});
    bool holds(std::uint64_t number) const { return is_running_ && number > done_; }
    // Waits until there is nothing in the background, or nothing ahead of a stream, or an item is done. Lets go of the
    // lock, which the caller must have taken once. Returns the error that every call gets now, if a kernel has failed.
    cudaError_t finish();
    cudaError_t finish(const Stream&);
    cudaError_t finish(std::uint64_t number);
    void finish_at_exit();
    void let_work();  // before a query says that something is not ready

    // While somebody waits for the runtime's lock.
    class Wanted {
      public:
        explicit Wanted(Background& its) : its_(its) { ++its_.wanted_; }
        ~Wanted() { --its_.wanted_; }
        Wanted(const Wanted&) = delete;
        Wanted& operator=(const Wanted&) = delete;

      private:
        Background& its_;
    };

    // ---- HostSide, for the kernel ----
    void let_in() override;
    bool wait(bool is_stuck, bool has_changed) override;
    bool may_copy() override;
    bool holds_back() override;
    std::string why_not() override;

  private:
    using Clock = std::chrono::steady_clock;
    struct Item {
        Stream* stream = nullptr;
        bool is_kernel = false;
        Work work;
        std::function<void()> host;
        std::uint64_t number = 0;
    };
    void work();
    void work_off();  // what is held
    void let_go();
    void take_back();
    cudaError_t finish_if(const std::function<bool()>& must_wait);
    bool nobody_can_help(Clock::time_point since, std::uint64_t polls_before) const;

    Runtime& runtime_;
    std::thread::id worker_;
    std::atomic<bool> is_running_ = false;
    std::atomic<int> wanted_ = 0;

    std::mutex mutex_;  // of the handing over
    std::condition_variable changed_;
    std::function<cudaError_t()> job_;
    bool has_job_ = false, has_returned_ = false;
    cudaError_t result_ = cudaSuccess;

    bool is_beside_ = false;  // the worker takes the runtime's lock itself
    Stream* stream_ = nullptr;
    std::deque<Item> held_;
    std::uint64_t last_ = 0, done_ = 0;  // numbers
    int waiters_ = 0;                    // threads in finish()
    bool is_at_exit_ = false;
    bool is_hopeless_ = false;
    std::uint64_t polls_ = 0;  // in vain, of the running kernel
    Clock::time_point stuck_since_;
};

}  // namespace vgpu::runtime
