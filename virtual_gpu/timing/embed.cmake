# Writes the profiles as string literals: cmake -DOUT=file.cc -DPROFILES="a.toml;b.toml" -P embed.cmake
set(text "#include \"virtual_gpu/timing/embedded_profiles.h\"\n\nnamespace vgpu {\nnamespace {\nconstexpr EmbeddedProfile kProfiles[] = {\n")
foreach(path IN LISTS PROFILES)
    get_filename_component(name "${path}" NAME_WE)
    file(READ "${path}" body)
    string(APPEND text "{\"${name}\", R\"TOML(${body})TOML\"},\n")
endforeach()
string(APPEND text "};\n}  // namespace\nstd::span<const EmbeddedProfile> embedded_profiles() {\n    return kProfiles;\n}\n}  // namespace vgpu\n")
file(WRITE "${OUT}" "${text}")
