#include "harness/request.h"

#include "harness/scalars.h"

namespace lab {

DType dtype_named(const std::string& name) {
    for (const DType dtype :
         {DType::u8, DType::i32, DType::u32, DType::i64, DType::u64, DType::f16, DType::f32, DType::f64})
        if (name == name_of(dtype)) return dtype;
    throw json::Error("unknown dtype " + name);
}

Instance instance_of(const json::Value& request) {
    Instance instance;
    instance.task = request["task"].string();
    instance.variant = request["variant"].string();
    instance.n = request["n"].integer();
    instance.seed = or_else<std::uint64_t>(request, "seed", 0);
    if (const json::Value* scalars = request.find("scalars")) instance.scalars = scalars_of(*scalars);
    return instance;
}

json::Writer& add_instance(json::Writer& writer, const Instance& instance) {
    json::Writer scalars;
    for (const auto& [name, value] : instance.scalars) scalars.add(name, value);
    return writer.add("task", instance.task)
        .add("variant", instance.variant)
        .add("n", instance.n)
        .raw("scalars", scalars.text());
}

}  // namespace lab
