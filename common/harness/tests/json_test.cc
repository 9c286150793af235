#include "harness/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace {

using lab::json::Error;
using lab::json::parse;
using lab::json::Value;

TEST(Json, ReadsWhatTheProtocolHas) {
    const Value v = parse(R"( {"op":"call", "n":1025,"seed":18446744073709551615,"x":-1.5e3,"yes":true,"no":false,
        "nothing":null,"arrays":[{"name":"d_in"},{"name":"d_out"}],"empty":[],"object":{}} )");
    EXPECT_EQ(v["op"].string(), "call");
    EXPECT_EQ(v["n"].integer(), 1025);
    EXPECT_EQ(v["seed"].unsigned_integer(), std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(v["x"].number(), -1500);
    EXPECT_TRUE(v["yes"].boolean());
    EXPECT_FALSE(v["no"].boolean());
    EXPECT_TRUE(v["nothing"].is(Value::Kind::null));
    ASSERT_EQ(v["arrays"].array().size(), 2U);
    EXPECT_EQ(v["arrays"].array()[1]["name"].string(), "d_out");
    EXPECT_TRUE(v["empty"].array().empty());
    EXPECT_EQ(v.find("missing"), nullptr);
}

TEST(Json, ReadsEscapes) {
    EXPECT_EQ(parse(R"("a\"b\\c\/d\n\tA\u00e9\u20ac\ud83d\ude00")").string(), "a\"b\\c/d\n\tA\u00e9\u20ac\U0001F600");
}

TEST(Json, RefusesWhatIsNone) {
    for (const char* text : {"", " ", "{", "[1", "\"a", "{\"a\"}", "{\"a\":}", "{a:1}", "[1,]", "{} x", "nul",
                             "\"\\x\"", "\"\\u12\"", "\"\\u", "\"\\", "+", "{\"a\":1,}"})
        EXPECT_THROW(parse(text).number(), Error) << text;
    EXPECT_THROW(parse(std::string(100'000, '[')), Error) << "deep nesting must not end the stack";
}

TEST(Json, ChecksKindsAndRanges) {
    const Value v = parse(R"({"s":"x","big":9223372036854775808,"real":1.5,"minus":-1})");
    EXPECT_THROW(v["s"].integer(), Error);
    EXPECT_THROW(v["big"].integer(), Error);
    EXPECT_THROW(v["real"].integer(), Error);
    EXPECT_THROW(v["minus"].unsigned_integer(), Error);
    EXPECT_THROW(v["missing"], Error);
    EXPECT_THROW(v["s"].array(), Error);
    EXPECT_THROW(v["real"].boolean(), Error);
}

TEST(Json, WritesWhatItReads) {
    const std::string odd = "quote \" backslash \\ line\n tab\t bell\x07 é €";
    EXPECT_EQ(parse(lab::json::quote(odd)).string(), odd);
    EXPECT_EQ(lab::json::quote("a\xff\xc3"), "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
    EXPECT_EQ(lab::json::number(0.1), "0.1");
    EXPECT_EQ(lab::json::number(std::nan("")), "null");
    EXPECT_EQ(lab::json::Writer().add("n", 3).add("name", "x").add("ok", true).text(),
              R"({"n":3,"name":"x","ok":true})");
}

}  // namespace
