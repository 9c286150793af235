#include "virtual_gpu/runtime/background.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "virtual_gpu/runtime/runtime.h"

namespace vgpu::runtime {
namespace {

using std::chrono::microseconds;
constexpr microseconds kShortest{20}, kLongest{1000}, kForOthers{5000}, kLook{1000};
constexpr std::chrono::seconds kPatience{20};  // with other threads of the host, which may all be asleep
constexpr std::uint64_t kPollsInVain = 2;

int threads_of_process() {
    DIR* const folder = opendir("/proc/self/task");
    if (folder == nullptr) {
        return 1000;
    }
    int count = 0;
    while (const dirent* entry = readdir(folder)) {
        count += entry->d_name[0] != '.' ? 1 : 0;
    }
    closedir(folder);
    return count;
}

bool is_blocking(const Runtime& runtime, const Stream& stream) {
    return &stream != &runtime.legacy && (stream.flags & cudaStreamNonBlocking) == 0;
}

// Is work in `later` behind work that was put into `earlier` before?
bool comes_after(const Runtime& runtime, const Stream& earlier, const Stream& later) {
    return &earlier == &later || (&earlier == &runtime.legacy && is_blocking(runtime, later)) ||
           (&later == &runtime.legacy && is_blocking(runtime, earlier));
}

}  // namespace

// ---- The host's side ----

cudaError_t Background::launch(Stream& stream, std::function<cudaError_t()> job) {
    if (worker_ == std::thread::id()) {
        runtime_.local->set_host(this);
        // The program's signals are for its own threads.
        sigset_t all, before;
        sigfillset(&all);
        for (const int own : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP}) {
            sigdelset(&all, own);
        }
        pthread_sigmask(SIG_BLOCK, &all, &before);
        std::thread worker([this] { work(); });
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        worker_ = worker.get_id();
        worker.detach();
    }
    stream_ = &stream;
    is_beside_ = is_hopeless_ = false;
    polls_ = 0;
    std::unique_lock lock(mutex_);
    job_ = std::move(job);
    has_job_ = true;
    has_returned_ = false;
    changed_.notify_all();
    changed_.wait(lock, [&] { return has_returned_; });
    return result_;
}

bool Background::is_ahead_of(const Stream& stream) const {
    if (!is_running_ || is_me()) {
        return false;
    }
    return (stream_ != nullptr && comes_after(runtime_, *stream_, stream)) ||
           std::ranges::any_of(held_, [&](const Item& item) { return comes_after(runtime_, *item.stream, stream); });
}

std::uint64_t Background::hold(Stream& stream, bool is_kernel, Work work, std::function<void()> host) {
    held_.push_back({&stream, is_kernel, std::move(work), std::move(host), ++last_});
    return last_;
}

cudaError_t Background::finish() {
    return finish_if([] { return true; });
}
cudaError_t Background::finish(const Stream& stream) {
    return finish_if([&] { return is_ahead_of(stream); });
}
cudaError_t Background::finish(std::uint64_t number) {
    return finish_if([&, number] { return holds(number); });
}

void Background::finish_at_exit() {
    if (is_running_) {
        const std::lock_guard lock(runtime_.mutex);
        is_at_exit_ = true;
        finish();
    }
}

cudaError_t Background::finish_if(const std::function<bool()>& must_wait) {
    if (!is_running_ || is_me()) {
        return cudaSuccess;
    }
    const std::uint64_t polls_before = polls_;
    const Clock::time_point since = Clock::now();
    ++waiters_;
    while (is_running_ && must_wait()) {
        is_hopeless_ = is_hopeless_ || nobody_can_help(since, polls_before);
        runtime_.mutex.unlock();
        {
            std::unique_lock lock(mutex_);
            changed_.wait_for(lock, kLook, [&] { return !is_running_; });
        }
        const Wanted wanted(*this);
        runtime_.mutex.lock();
    }
    --waiters_;
    return to_cuda(runtime_.session->failed());
}

// The kernel waits, the threads of the host that are in finish() wait for it, and there are no others; or they do
// nothing for long.
bool Background::nobody_can_help(Clock::time_point since, std::uint64_t polls_before) const {
    if (polls_ < polls_before + kPollsInVain) {
        return false;
    }
    return threads_of_process() <= 1 + waiters_ || Clock::now() - std::max(since, stuck_since_) > kPatience;
}

void Background::let_work() {
    if (!is_running_ || is_me()) {
        return;
    }
    runtime_.mutex.unlock();
    {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, kLook / 4, [&] { return !is_running_; });
    }
    const Wanted wanted(*this);
    runtime_.mutex.lock();
}

// ---- The worker ----

void Background::work() {
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return has_job_; });
            has_job_ = false;
        }
        const cudaError_t error = job_();
        stream_ = nullptr;
        if (is_beside_) {
            work_off();
            is_running_ = false;
            runtime_.mutex.unlock();
        }
        const std::lock_guard lock(mutex_);
        result_ = is_beside_ ? cudaSuccess : error;
        has_returned_ = true;
        changed_.notify_all();
    }
}

void Background::work_off() {
    while (!held_.empty()) {
        Item item = std::move(held_.front());
        held_.pop_front();
        stream_ = item.stream;
        is_hopeless_ = false;
        polls_ = 0;
        if (runtime_.session->failed() == Status::ok) {
            item.work(runtime_, *item.stream);
            if (item.host) {
                let_go();
                item.host();
                take_back();
            }
        }
        stream_ = nullptr;
        done_ = item.number;
        let_in();
    }
}

void Background::let_go() { runtime_.mutex.unlock(); }
void Background::take_back() { runtime_.mutex.lock(); }

void Background::let_in() {
    if (!is_beside_ || wanted_ == 0) {
        return;
    }
    runtime_.local->suspend();
    let_go();
    const Clock::time_point until = Clock::now() + kForOthers;
    do {
        std::this_thread::sleep_for(kShortest);
    } while (wanted_ > 0 && Clock::now() < until);
    take_back();
    runtime_.local->resume();
}

bool Background::wait(bool is_stuck, bool has_changed) {
    if (!is_stuck || has_changed || polls_ == 0) {
        stuck_since_ = Clock::now();
        polls_ = 0;
    }
    if (is_hopeless_) {
        return false;
    }
    polls_ += is_stuck ? 1 : 0;
    runtime_.local->suspend();
    if (!is_beside_) {  // the launching thread has the lock, and keeps it
        is_beside_ = true;
        is_running_ = true;
        const std::lock_guard lock(mutex_);
        result_ = cudaSuccess;
        has_returned_ = true;
        changed_.notify_all();
    } else {
        let_go();
    }
    const Clock::time_point until = Clock::now() + kForOthers;
    const auto pause = is_stuck ? std::min(kShortest * (1 << std::min<std::uint64_t>(polls_, 6)), kLongest) : kShortest;
    do {
        std::this_thread::sleep_for(pause);
    } while (wanted_ > 0 && Clock::now() < until);
    take_back();
    runtime_.local->resume();
    return !is_hopeless_;
}

bool Background::may_copy() { return runtime_.has_streams; }

bool Background::holds_back() {
    return is_beside_ && stream_ != nullptr && std::ranges::any_of(held_, [&](const Item& item) {
               return item.is_kernel && !comes_after(runtime_, *stream_, *item.stream);
           });
}

std::string Background::why_not() {
    return is_at_exit_ ? "the program has ended, and has not written what the kernel waits for"
                       : "the host waits for the kernel, and no thread of it writes what the kernel waits for";
}

}  // namespace vgpu::runtime
