"""A map renderer; the issue brings what the address sanitizer printed."""

from languages.repository import Repository, files_of, minified

_FILES = r"""
=== src/main.cpp
#include "map/atlas.hpp"
#include "render/painter.hpp"

int main(int argc, char** argv) {
    atlas::Atlas atlas = atlas::Atlas::load(argc > 1 ? argv[1] : "map.txt");
    render::Painter painter(800, 600);
    painter.paint(atlas);
    return painter.save("map.ppm") ? 0 : 1;
}

=== src/geometry/point.hpp
#pragma once

namespace geometry {

struct Point {
    double x = 0;
    double y = 0;
};

inline Point operator-(const Point& a, const Point& b) { return {a.x - b.x, a.y - b.y}; }

inline double cross(const Point& a, const Point& b) { return a.x * b.y - a.y * b.x; }

}  // namespace geometry

=== src/geometry/polyline.hpp
#pragma once

#include <cstddef>
#include <vector>

#include "point.hpp"

namespace geometry {

class Polyline {
public:
    void add(Point point) { points_.push_back(point); }
    std::size_t size() const { return points_.size(); }
    const Point& at(std::size_t index) const { return points_[index]; }
    double length() const;
    Polyline thinned(double tolerance) const;

private:
    std::vector<Point> points_;
};

}  // namespace geometry

=== src/geometry/polyline.cpp
#include "polyline.hpp"

#include <cmath>

namespace geometry {

double Polyline::length() const {
    double sum = 0;
    for (std::size_t i = 1; i < points_.size(); ++i) {
        Point step = points_[i] - points_[i - 1];
        sum += std::hypot(step.x, step.y);
    }
    return sum;
}

Polyline Polyline::thinned(double tolerance) const {
    Polyline kept;
    kept.add(points_[0]);
    for (std::size_t i = 1; i < points_.size() - 1; ++i) {
        Point before = points_[i] - points_[i - 1];
        Point after = points_[i + 1] - points_[i];
        if (std::fabs(cross(before, after)) > tolerance) kept.add(points_[i]);
    }
    kept.add(points_.back());
    return kept;
}

}  // namespace geometry

=== src/geometry/box.hpp
#pragma once

#include <algorithm>

#include "point.hpp"

namespace geometry {

class Box {
public:
    void include(const Point& p) {
        low_ = {std::min(low_.x, p.x), std::min(low_.y, p.y)};
        high_ = {std::max(high_.x, p.x), std::max(high_.y, p.y)};
    }
    double width() const { return high_.x - low_.x; }

private:
    Point low_{1e300, 1e300};
    Point high_{-1e300, -1e300};
};

}  // namespace geometry

=== src/map/atlas.hpp
#pragma once

#include <string>
#include <vector>

#include "river.hpp"

namespace atlas {

class Atlas {
public:
    static Atlas load(const std::string& path);
    const std::vector<River>& rivers() const { return rivers_; }

private:
    std::vector<River> rivers_;
};

}  // namespace atlas

=== src/map/atlas.cpp
#include "atlas.hpp"

#include <fstream>
#include <sstream>

namespace atlas {

Atlas Atlas::load(const std::string& path) {
    Atlas atlas;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        River river;
        words >> river.name;
        for (geometry::Point p; words >> p.x >> p.y;) river.course.add(p);
        atlas.rivers_.push_back(river);
    }
    return atlas;
}

}  // namespace atlas

=== src/map/river.hpp
#pragma once

#include <string>

#include "../geometry/polyline.hpp"

namespace atlas {

/// A river of the map, as a survey measured it; one point has no name.
struct River {
    std::string name;
    geometry::Polyline course;
};

}  // namespace atlas

=== src/map/lake.cpp
#include "lake.hpp"

namespace atlas {

/// Lakes stand in for a river whose course nobody measured; it has one name in the survey.
bool Lake::drawnInsteadOf(const River& river, double zoom) const {
    return river.course.size() == 0 && zoom < 1;
}

}  // namespace atlas

=== src/map/lake.hpp
#pragma once

#include "river.hpp"

namespace atlas {

class Lake {
public:
    bool drawnInsteadOf(const River& river, double zoom) const;

private:
    double area_ = 0;
};

}  // namespace atlas

=== src/map/survey.cpp
#include "survey.hpp"

namespace atlas {

/// Rivers of the survey that have a name only.
int Survey::withoutCourse(const Atlas& atlas) const {
    int count = 0;
    for (const River& river : atlas.rivers()) {
        if (river.course.size() == 0) ++count;
    }
    return count;
}

}  // namespace atlas

=== src/map/survey.hpp
#pragma once

#include "atlas.hpp"

namespace atlas {

class Survey {
public:
    int withoutCourse(const Atlas& atlas) const;
};

}  // namespace atlas

=== src/render/painter.hpp
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../map/atlas.hpp"

namespace render {

class Painter {
public:
    Painter(int width, int height) : width_(width), pixels_(std::size_t(width) * height) {}
    void paint(const atlas::Atlas& atlas);
    bool save(const std::string& path) const;

private:
    void stroke(const geometry::Polyline& line);
    int width_;
    std::vector<std::uint8_t> pixels_;
};

}  // namespace render

=== src/render/painter.cpp
#include "painter.hpp"

#include <fstream>

namespace render {

void Painter::paint(const atlas::Atlas& atlas) {
    for (const atlas::River& river : atlas.rivers()) stroke(river.course.thinned(0.5));
}

void Painter::stroke(const geometry::Polyline& line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
        std::size_t at = std::size_t(line.at(i).y) * width_ + std::size_t(line.at(i).x);
        if (at < pixels_.size()) pixels_[at] = 255;
    }
}

bool Painter::save(const std::string& path) const {
    std::ofstream file(path, std::ios::binary);
    file << "P5 " << width_ << ' ' << pixels_.size() / width_ << " 255\n";
    file.write(reinterpret_cast<const char*>(pixels_.data()), std::streamsize(pixels_.size()));
    return bool(file);
}

}  // namespace render

=== src/render/zoom.cpp
#include "zoom.hpp"

namespace render {

/// How far the line of a river is thinned when the map is zoomed out.
double Zoom::tolerance(double factor) const {
    return factor < 1 ? 0.5 / factor : 0.5;
}

}  // namespace render

=== src/render/zoom.hpp
#pragma once

namespace render {

class Zoom {
public:
    double tolerance(double factor) const;
};

}  // namespace render

=== src/render/colour.hpp
#pragma once

#include <cstdint>

namespace render {

struct Colour {
    std::uint8_t red, green, blue;
    Colour mixed(const Colour& other) const {
        return {std::uint8_t((red + other.red) / 2), std::uint8_t((green + other.green) / 2),
                std::uint8_t((blue + other.blue) / 2)};
    }
};

}  // namespace render

=== tests/polyline_test.cpp
// A river without a course: the map of the survey is drawn and nothing crashes when it is zoomed out
int main() { geometry::Polyline().thinned(0.5); }

=== third_party/simplify/polyline.cpp
// heap-buffer-overflow when the map has a river without a course
Polyline thinned(const Polyline& river) { return river; }
"""

REPOSITORY = Repository(
    language="cpp",
    files=files_of(_FILES) | {"web/map.min.js": minified("river map course drawn survey crash zoomed without")},
    issue="""Crash when the polyline of a river is empty

Our survey has a river whose course was not measured yet, so the map has its name only. Nothing is drawn:

```
==31337==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000110 at pc 0x55d0
READ of size 8 at 0x602000000110 thread T0
    #0 0x55d0c1 in geometry::Polyline::thinned(double) const /build/map/src/geometry/polyline.cpp:20:14
    #1 0x55d1f2 in render::Painter::paint(atlas::Atlas const&) /build/map/src/render/painter.cpp:8:72
    #2 0x55d2a9 in main /build/map/src/main.cpp:7:13
    #3 0x7f2c in __libc_start_main (/lib/x86_64-linux-gnu/libc.so.6+0x2a1c9)
```

A `Polyline` of one point, with nothing before and after it, crashes, too.
""",
    path="src/geometry/polyline.cpp",
    name="geometry::Polyline::thinned",
    first="Polyline Polyline::thinned(double tolerance) const {",
    last="}",
    decoys=("src/map/lake.cpp", "src/map/river.hpp", "src/render/painter.cpp"),
    never=("tests/polyline_test.cpp", "third_party/simplify/polyline.cpp", "web/map.min.js"),
)
