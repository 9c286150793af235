// A task must return. If it ends the program instead, by exit() or by a crash of its host code, the program says so.
// Otherwise exit(0) would look like success.
#pragma once

#include <string>

namespace lab {

// Once, before the device is chosen: the virtual GPU's fault handler must be installed after this one.
void prepare_last_words();

// While it lives, `what` ("lab1: task grid") is running.
class InTask {
  public:
    explicit InTask(const std::string& what);
    ~InTask();
    InTask(const InTask&) = delete;
    InTask& operator=(const InTask&) = delete;
};

}  // namespace lab
