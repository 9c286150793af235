// The main program of every lab: the student's functions, called by a person or by the grader.
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli.h"
#include "harness/control.h"
#include "harness/device_choice.h"
#include "harness/last_words.h"
#include "harness/npy.h"
#include "harness/options.h"
#include "harness/serve.h"
#include "harness/stale.h"
#include "harness/student.h"
#include "harness/this_lab.h"

namespace {

int bad_use(const std::string& program, const std::string& message) {
    std::cerr << program << ": " << message << "\n";
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string program = argc > 0 ? std::string(argv[0]).substr(std::string(argv[0]).rfind('/') + 1) : "lab";
    try {
        lab::Lab lab = lab::this_lab();
        lab::Options options = lab::parse_options({argv + 1, argv + argc}, lab.settings);
        // Files belong to one task.
        if (options.task.empty() && !(options.inputs.empty() && options.outputs.empty())) {
            options.task = lab::task_for_files(options, lab);
            options.task_is_chosen = true;
        }
        const std::string title = "Lab " + std::to_string(lab.number) + ": " + lab.title;
        if (options.help) {
            std::cout << lab::help_text(program, title, lab);
            return 0;
        }
        if (options.version) {
            std::cout << "CUDA Labs " LABS_VERSION ", lab " << lab.number << " " << lab.name << "\n";
            return 0;
        }
        if (options.list) {
            std::cout << lab::list_text(lab);
            return 0;
        }
        std::optional<lab::Prepared> prepared;
        if (!options.serve) {
            prepared = lab::check_options(options, lab);
            lab::prepare_last_words();
            if (const std::string stale = lab::stale_text(lab.number, lab.name);
                !stale.empty() &&
                !lab::control::is_virtual())  // true only once: before the program executes itself again, or on a GPU
                std::cerr << program << ": " << stale << "\n";
        }
        const char* device = std::getenv("CUDA_LABS_DEVICE");
        const std::string wanted = options.device.empty() && device != nullptr ? device : options.device;
        // The virtual GPU of a runner is in another process: this one has CUDA's functions, and nothing to choose.
        if (options.serve && options.device == "virtual") return lab::serve(lab::this_bindings(), *options.serve, true);
        if (const std::string reason = lab::choose_device(wanted, argv); !reason.empty())
            return bad_use(program, reason);

        if (options.copy_bandwidth) {
            std::cout << lab::Runner::copy_bandwidth() << "\n";
            return 0;
        }
        if (options.serve) return lab::serve(lab::this_bindings(), *options.serve, false);
        lab::Student student(lab::this_bindings());
        lab::Runner runner(student);
        if (options.rounds) return lab::run_rounds(options, lab, runner);
        return lab::run_program(options, lab, runner, std::move(prepared));
    } catch (const lab::UsageError& e) {
        return bad_use(program, e.what());
    } catch (const lab::FileError& e) {
        return bad_use(program, e.what());
    } catch (const std::invalid_argument& e) {
        return bad_use(program, e.what());
    } catch (const std::exception& e) {
        std::cerr << program << ": " << e.what() << "\n";
        return 1;
    }
}
