// nanoflann's kd-tree as a peer: see geometry_peers.h.
#include "geometry_peers.h"

#include <nanoflann.hpp>

#include <cmath>
#include <utility>
#include <vector>

namespace
{

struct points {
    const float *xyz;
    std::size_t n;
    std::size_t kdtree_get_point_count() const
    {
        return n;
    }
    float kdtree_get_pt(std::size_t i, std::size_t axis) const
    {
        return xyz[3 * i + axis];
    }
    template <class Box> bool kdtree_get_bbox(Box &) const
    {
        return false;
    }
};

using tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, points>,
                                                 points, 3, std::uint32_t>;

} // namespace

std::int64_t peer_nanoflann_ball(std::int64_t *start, std::int32_t *index, std::int64_t room,
                                 const float *xyz, std::int32_t n, std::int32_t centres, float r2)
{
    points p{xyz, static_cast<std::size_t>(n)};
    tree t(3, p, nanoflann::KDTreeSingleIndexAdaptorParams(16));
    nanoflann::SearchParams parameters;
    parameters.sorted = false;
    std::vector<std::pair<std::uint32_t, float>> found;
    std::int64_t hits = 0;
    const float inside = std::nextafter(r2, INFINITY); // its test is d2 < r2
    for (std::int32_t i = 0; i < centres; i++) {
        start[i] = hits;
        t.radiusSearch(xyz + 3 * static_cast<std::int64_t>(i), inside, found, parameters);
        for (const auto &hit : found) {
            if (hits < room)
                index[hits] = static_cast<std::int32_t>(hit.first);
            hits++;
        }
    }
    start[centres] = hits;
    return hits;
}

void peer_nanoflann_three(std::int32_t *index, const float *xyz, std::int32_t fine,
                          std::int32_t coarse)
{
    points p{xyz, static_cast<std::size_t>(coarse)};
    tree t(3, p, nanoflann::KDTreeSingleIndexAdaptorParams(16));
    for (std::int32_t i = coarse; i < fine; i++) {
        std::uint32_t found[3] = {0, 0, 0};
        float d2[3];
        t.knnSearch(xyz + 3 * static_cast<std::int64_t>(i), 3, found, d2);
        for (int tap = 0; tap < 3; tap++)
            index[3 * static_cast<std::int64_t>(i) + tap] = static_cast<std::int32_t>(found[tap]);
    }
}
