#include "virtual_gpu/runtime/pools.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "virtual_gpu/runtime/missing.h"
#include "virtual_gpu/runtime/runtime.h"

namespace vgpu::runtime {
namespace {

struct Pool {
    std::size_t most = 0;  // bytes; 0: no limit of its own
    std::uint64_t used = 0, used_high = 0, reserved_high = 0, release_threshold = 0;
    int follows_events = 1, opportunistic = 1, internal = 1;
    bool is_destroyed = false;  // its memory is used until it is freed
};

struct Pools {
    Pool standard;  // the default one
    std::set<Pool*> own;
    Pool* current = &standard;
    std::map<DevicePtr, std::pair<Pool*, std::size_t>> taken;
};

Pools& pools() {
    static auto* it = new Pools;
    return *it;
}

Pool* pool_of(cudaMemPool_t handle) {
    auto* pool = reinterpret_cast<Pool*>(handle);
    return pool == &pools().standard || pools().own.contains(pool) ? pool : nullptr;
}
cudaMemPool_t handle_of(Pool* pool) { return reinterpret_cast<cudaMemPool_t>(pool); }

template <class Body>
cudaError_t with_pool(const char* name, cudaMemPool_t handle, Body&& body) {
    return api(name, kPlain, [&](Runtime&) {
        Pool* pool = pool_of(handle);
        return pool == nullptr ? cudaErrorInvalidValue : body(*pool);
    });
}

// Where pools are: on the only device.
cudaError_t check(const cudaMemLocation* location, cudaMemAllocationType type) {
    if (location == nullptr || type != cudaMemAllocationTypePinned) {
        return type == cudaMemAllocationTypeManaged ? static_cast<cudaError_t>(lacks("pools of managed memory"))
                                                    : cudaErrorInvalidValue;
    }
    if (location->type != cudaMemLocationTypeDevice) {
        return static_cast<cudaError_t>(lacks("pools of the host's memory"));
    }
    return location->id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t give_pool(const char* name, cudaMemPool_t* out, int device, Pool*(which)()) {
    return api(name, kPlain, [&](Runtime&) {
        if (out == nullptr) {
            return cudaErrorInvalidValue;
        }
        if (device != 0) {
            return cudaErrorInvalidDevice;
        }
        *out = handle_of(which());
        return cudaSuccess;
    });
}
cudaError_t give_pool(const char* name, cudaMemPool_t* out, const cudaMemLocation* at, cudaMemAllocationType type,
                      Pool*(which)()) {
    return api(name, kPlain, [&](Runtime&) {
        const cudaError_t error = out == nullptr ? cudaErrorInvalidValue : check(at, type);
        if (error == cudaSuccess) {
            *out = handle_of(which());
        }
        return error;
    });
}
Pool* standard() { return &pools().standard; }
Pool* current() { return pools().current; }

}  // namespace

cudaMemPool_t current_pool() { return handle_of(pools().current); }
bool is_pool(cudaMemPool_t handle) { return pool_of(handle) != nullptr; }
bool has_room(cudaMemPool_t handle, std::size_t bytes) {
    const Pool& pool = *pool_of(handle);
    return pool.most == 0 || (bytes <= pool.most && pool.used <= pool.most - bytes);
}

void took_from(cudaMemPool_t handle, DevicePtr at, std::size_t bytes) {
    Pool* pool = pool_of(handle);
    pools().taken[at] = {pool, bytes};
    pool->used += bytes;
    pool->used_high = std::max(pool->used_high, pool->used);
    pool->reserved_high = std::max(pool->reserved_high, pool->used);
}

void gave_back(DevicePtr at) {
    const auto found = pools().taken.find(at);
    if (found == pools().taken.end()) {
        return;
    }
    Pool* pool = found->second.first;
    pool->used -= found->second.second;
    pools().taken.erase(found);
    if (pool->is_destroyed && pool->used == 0) {
        delete pool;
    }
}

void forget_pools() {
    pools().taken.clear();
    for (Pool* pool : pools().own) {
        delete pool;
    }
    pools().own.clear();
    pools().standard = {};
    pools().current = &pools().standard;
}

}  // namespace vgpu::runtime

using namespace vgpu::runtime;

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* out, int device) {
    return give_pool("cudaDeviceGetDefaultMemPool", out, device, standard);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* out, int device) {
    return give_pool("cudaDeviceGetMemPool", out, device, current);
}
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* out, cudaMemLocation* at, cudaMemAllocationType type) {
    return give_pool("cudaMemGetDefaultMemPool", out, at, type, standard);
}
cudaError_t cudaMemGetMemPool(cudaMemPool_t* out, cudaMemLocation* at, cudaMemAllocationType type) {
    return give_pool("cudaMemGetMemPool", out, at, type, current);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
    return with_pool("cudaDeviceSetMemPool", handle, [&](Pool& pool) {
        pools().current = device == 0 ? &pool : pools().current;
        return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
    });
}
cudaError_t cudaMemSetMemPool(cudaMemLocation* at, cudaMemAllocationType type, cudaMemPool_t handle) {
    return with_pool("cudaMemSetMemPool", handle, [&](Pool& pool) {
        const cudaError_t error = check(at, type);
        pools().current = error == cudaSuccess ? &pool : pools().current;
        return error;
    });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* out, const cudaMemPoolProps* props) {
    return api("cudaMemPoolCreate", kPlain, [&](Runtime&) {
        if (out == nullptr || props == nullptr) {
            return cudaErrorInvalidValue;
        }
        if (const cudaError_t error = check(&props->location, props->allocType); error != cudaSuccess) {
            return error;
        }
        if (props->handleTypes != cudaMemHandleTypeNone) {
            return static_cast<cudaError_t>(lacks("sharing between processes"));
        }
        auto* pool = new Pool;
        pool->most = props->maxSize;
        pools().own.insert(pool);
        *out = handle_of(pool);
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
    return with_pool("cudaMemPoolDestroy", handle, [](Pool& pool) {
        if (&pool == &pools().standard) {
            return cudaErrorInvalidValue;
        }
        pools().current = pools().current == &pool ? &pools().standard : pools().current;
        pools().own.erase(&pool);
        pool.is_destroyed = true;
        if (pool.used == 0) {
            delete &pool;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr which, void* value) {
    return with_pool("cudaMemPoolSetAttribute", handle, [&](Pool& pool) {
        if (value == nullptr) {
            return cudaErrorInvalidValue;
        }
        const auto reset = [&](std::uint64_t& high) {  // only to zero: it begins again from what is used
            const bool is_zero = *static_cast<const std::uint64_t*>(value) == 0;
            high = is_zero ? pool.used : high;
            return is_zero ? cudaSuccess : cudaErrorInvalidValue;
        };
        const auto set = [&](int& one) {
            one = *static_cast<const int*>(value);
            return cudaSuccess;
        };
        switch (which) {
            case cudaMemPoolReuseFollowEventDependencies:
                return set(pool.follows_events);
            case cudaMemPoolReuseAllowOpportunistic:
                return set(pool.opportunistic);
            case cudaMemPoolReuseAllowInternalDependencies:
                return set(pool.internal);
            case cudaMemPoolAttrReleaseThreshold:
                pool.release_threshold = *static_cast<const std::uint64_t*>(value);
                return cudaSuccess;
            case cudaMemPoolAttrReservedMemHigh:
                return reset(pool.reserved_high);
            case cudaMemPoolAttrUsedMemHigh:
                return reset(pool.used_high);
            default:
                return cudaErrorInvalidValue;
        }
    });
}

// Freed memory goes back to the device at once: what is reserved is what is used.
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr which, void* out) {
    return with_pool("cudaMemPoolGetAttribute", handle, [&](Pool& pool) {
        if (out == nullptr) {
            return cudaErrorInvalidValue;
        }
        const auto number = [&](std::uint64_t value) {
            *static_cast<std::uint64_t*>(out) = value;
            return cudaSuccess;
        };
        const auto flag = [&](int value) {
            *static_cast<int*>(out) = value;
            return cudaSuccess;
        };
        switch (which) {
            case cudaMemPoolReuseFollowEventDependencies:
                return flag(pool.follows_events);
            case cudaMemPoolReuseAllowOpportunistic:
                return flag(pool.opportunistic);
            case cudaMemPoolReuseAllowInternalDependencies:
                return flag(pool.internal);
            case cudaMemPoolAttrReleaseThreshold:
                return number(pool.release_threshold);
            case cudaMemPoolAttrReservedMemCurrent:
            case cudaMemPoolAttrUsedMemCurrent:
                return number(pool.used);
            case cudaMemPoolAttrReservedMemHigh:
                return number(pool.reserved_high);
            case cudaMemPoolAttrUsedMemHigh:
                return number(pool.used_high);
            default:
                return cudaErrorInvalidValue;
        }
    });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, std::size_t) {
    return with_pool("cudaMemPoolTrimTo", handle, [](Pool&) { return cudaSuccess; });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc* list, std::size_t count) {
    return with_pool("cudaMemPoolSetAccess", handle, [&](Pool&) {
        if (list == nullptr && count != 0) {
            return cudaErrorInvalidValue;
        }
        for (std::size_t n = 0; n < count; ++n) {
            const bool is_own = list[n].location.type == cudaMemLocationTypeDevice && list[n].location.id == 0;
            // The device of a pool always has access to it.
            if (!is_own || list[n].flags != cudaMemAccessFlagsProtReadWrite) {
                return is_own ? cudaErrorInvalidValue : cudaErrorInvalidDevice;
            }
        }
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* out, cudaMemPool_t handle, cudaMemLocation* at) {
    return with_pool("cudaMemPoolGetAccess", handle, [&](Pool&) {
        if (out == nullptr || at == nullptr) {
            return cudaErrorInvalidValue;
        }
        const bool is_own = at->type == cudaMemLocationTypeDevice && at->id == 0;
        *out = is_own ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
        return cudaSuccess;
    });
}
