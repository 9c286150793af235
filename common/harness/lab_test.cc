#include "harness/lab_test.h"

#include <algorithm>
#include <cstring>
#include <ostream>

#include "harness/json.h"
#include "harness/lab_and_oracle.h"
#include "harness/runner.h"
#include "harness/student.h"
#include "harness/this_lab.h"

namespace lab {

void PrintTo(const Instance& instance, std::ostream* out) {
    *out << instance.task << (instance.variant.empty() ? "" : " " + instance.variant) << ", n = " << instance.n
         << ", seed " << instance.seed;
    for (const auto& [name, value] : instance.scalars) *out << ", " << name << " = " << value;
}

namespace testing {
namespace {

constexpr std::uint8_t kPoison = 0x5b;  // fills the outputs before a call; unlikely to be a right answer

std::vector<std::string> variants_of(const Task& task) {
    return task.variants.empty() ? std::vector<std::string>{""} : task.variants;
}

std::vector<std::vector<std::byte>> storage_for(const std::vector<ArraySpec>& specs, int fill) {
    std::vector<std::vector<std::byte>> storage;
    for (const ArraySpec& spec : specs)
        storage.emplace_back(std::max<std::size_t>(spec.count * size_of(spec.dtype), 1), static_cast<std::byte>(fill));
    return storage;
}

std::vector<Array> views(const std::vector<ArraySpec>& specs, std::vector<std::vector<std::byte>>& storage) {
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < specs.size(); ++i) arrays.push_back({specs[i], storage[i].data()});
    return arrays;
}

void expect_no_findings(const std::string& report) {
    if (report.empty()) return;
    const json::Value json = json::parse(report);
    for (const json::Value& finding : json["findings"].array()) {
        if (finding["is_note"].boolean()) continue;
        ADD_FAILURE() << finding["kind"].string() << " at " << finding["place"]["file"].string() << ":"
                      << finding["place"]["line"].integer() << ": " << finding["what"].string();
    }
}

Runner& runner() {
    static Student student(this_bindings());
    static Runner the_runner(student);
    return the_runner;
}

// In every lab, the table of tasks, the bindings and the shapes agree.
TEST(Lab, HasAFunctionForEveryTask) {
    const Lab lab = this_lab();
    const Bindings bindings = this_bindings();
    ASSERT_EQ(bindings.size(), lab.tasks.size());
    for (std::size_t i = 0; i < bindings.size(); ++i)
        EXPECT_EQ(bindings[i].first, lab.tasks[i].name) << "in this order";
}

TEST(Lab, CpuVersionGivesWhatTheOracleExpects) {
    const Lab lab = this_lab();
    for (const Task& task : lab.tasks) {
        for (const std::string& variant : variants_of(task)) {
            const Case c({task.name, variant, std::min<std::int64_t>(1025, task.max_n), 3});
            ASSERT_EQ(c.expected.size(), c.outputs.size());
            EXPECT_EQ(c.wrong(), "") << task.name << " " << variant;
        }
    }
}

}  // namespace

std::vector<Expected> expect(const Instance& call, std::span<const Array> inputs) {
    return lab_and_oracle().expect(call, inputs);
}

Case::Case(const Instance& asked)
    : call(lab_and_oracle().complete(asked)),
      shape(lab_and_oracle().shape(call)),
      in_bytes(storage_for(shape.inputs, 0)),
      out_bytes(storage_for(shape.outputs, kPoison)),
      inputs(views(shape.inputs, in_bytes)),
      outputs(views(shape.outputs, out_bytes)) {
    lab_and_oracle().generate(call, inputs);
    answer();
}

void Case::answer() {
    for (auto& bytes : out_bytes) std::fill(bytes.begin(), bytes.end(), std::byte{kPoison});
    lab_and_oracle().cpu(call, inputs, outputs);
    expected = expect(call, inputs);
}

Comparison Case::judge(std::size_t i) const {
    return compare(expected[i], outputs[i].spec, outputs[i].data, nullptr, kPoison);
}

bool Case::is_right() const { return wrong().empty(); }

std::string Case::wrong() const {
    for (std::size_t i = 0; i < outputs.size(); ++i)
        if (const Comparison found = judge(i); !found.ok()) return describe(found, outputs[i].spec);
    return "";
}

void expect_cpu_is_right(Instance call, std::uint64_t seeds, const std::vector<std::int64_t>& sizes) {
    for (call.seed = 0; call.seed < seeds; ++call.seed)
        for (const std::int64_t n : sizes) {
            call.n = n;
            EXPECT_EQ(Case(call).wrong(), "") << "n " << n << " seed " << call.seed;
        }
}

std::vector<Instance> cases_of(const std::string& name, std::span<const std::int64_t> sizes) {
    static const Lab lab = this_lab();
    const Task& task = lab.task(name);
    std::vector<Instance> cases;
    std::uint64_t seed = 1;
    for (const std::string& variant : variants_of(task))
        for (const std::int64_t n : sizes) cases.push_back({task.name, variant, n, seed++});
    return cases;
}

std::vector<Instance> public_cases() {
    std::vector<Instance> cases;
    for (const Task& task : this_lab().tasks) {
        const std::vector<Instance> own = cases_of(task.name, task.sizes);
        cases.insert(cases.end(), own.begin(), own.end());
    }
    return cases;
}

std::string name_of_case(const ::testing::TestParamInfo<Instance>& info) {
    std::string name = info.param.task + (info.param.variant.empty() ? "" : "_" + info.param.variant) + "_" +
                       std::to_string(info.param.n) + "_seed" + std::to_string(info.param.seed);
    for (const auto& [scalar, value] : info.param.scalars) name += "_" + scalar + std::to_string(value);
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; }, '_');
    return name;
}

Outcome LabTest::run(const Instance& asked, std::uint64_t schedule) {
    const Lab lab = this_lab();
    const Instance instance = lab.complete(asked);
    Outcome outcome;
    outcome.shape = lab.shape(instance);
    outcome.inputs = storage_for(outcome.shape.inputs, 0);
    outcome.outputs = storage_for(outcome.shape.outputs, kPoison);
    const std::vector<Array> inputs = views(outcome.shape.inputs, outcome.inputs);
    const std::vector<Array> outputs = views(outcome.shape.outputs, outcome.outputs);
    lab.generate(instance, inputs);

    std::vector<std::vector<std::byte>> after = outcome.inputs;
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        arguments.push_back({inputs[i].spec, false, inputs[i].data, after[i].data()});
    for (const Array& a : outputs) arguments.push_back({a.spec, true, a.data, a.data});
    CallOptions options;
    options.schedule = schedule;
    const WantedCall one{instance, arguments};
    const CallResult result = runner().call({&one, 1}, options);
    outcome.report = result.report;

    if (result.status == CallResult::Status::skip) {
        ADD_FAILURE() << "not started: " << result.where << " TODO " << result.todo;
        return outcome;
    }
    EXPECT_TRUE(result.ok()) << name_of(result.status) << ": " << result.where << ": " << result.message;
    expect_no_findings(result.report);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        EXPECT_TRUE(after[i] == outcome.inputs[i]) << "the input " << inputs[i].spec.name << " was changed";
    const std::vector<Expected> right = expect(instance, inputs);
    if (right.size() != outputs.size()) {
        ADD_FAILURE() << "the oracle gave " << right.size() << " outputs of " << outputs.size();
        return outcome;
    }
    for (std::size_t i = 0; result.ok() && i < outputs.size(); ++i) {
        const std::string wrong =
            describe(compare(right[i], outputs[i].spec, outputs[i].data, nullptr, kPoison), outputs[i].spec);
        EXPECT_TRUE(wrong.empty()) << wrong;
    }
    return outcome;
}

}  // namespace testing
}  // namespace lab
