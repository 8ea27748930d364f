// nanoflann's kd-tree as a peer: see geometry_peers.h.
#include "geometry_peers.h"

#include <nanoflann.hpp>

#include <algorithm>
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

void peer_nanoflann_lists(std::int32_t *start, std::int32_t *index, const float *xyz,
                          std::int32_t n, std::int32_t centres, float r2, peer_choose *choose,
                          void *user)
{
    points p{xyz, static_cast<std::size_t>(n)};
    tree t(3, p, nanoflann::KDTreeSingleIndexAdaptorParams(16));
    nanoflann::SearchParams parameters;
    parameters.sorted = false; // by distance: of no use here
    std::vector<std::pair<std::uint32_t, float>> found;
    std::vector<std::int32_t> ranks;
    const float inside = std::nextafter(r2, INFINITY); // its test is d2 < r2
    start[0] = 0;
    for (std::int32_t i = 0; i < centres; i++) {
        t.radiusSearch(xyz + 3 * static_cast<std::int64_t>(i), inside, found, parameters);
        ranks.resize(found.size());
        for (std::size_t h = 0; h < found.size(); h++)
            ranks[h] = static_cast<std::int32_t>(found[h].first);
        std::sort(ranks.begin(), ranks.end());
        const auto hits = static_cast<std::int32_t>(ranks.size());
        start[i + 1] = start[i] + choose(index + start[i], ranks.data(), hits, i, user);
    }
}

std::int64_t peer_nanoflann_balls(const float *xyz, std::int32_t n, std::int32_t centres, float r2)
{
    points p{xyz, static_cast<std::size_t>(n)};
    tree t(3, p, nanoflann::KDTreeSingleIndexAdaptorParams(16));
    nanoflann::SearchParams parameters;
    parameters.sorted = false;
    std::vector<std::pair<std::uint32_t, float>> found;
    const float inside = std::nextafter(r2, INFINITY);
    std::int64_t hits = 0;
    for (std::int32_t i = 0; i < centres; i++) {
        t.radiusSearch(xyz + 3 * static_cast<std::int64_t>(i), inside, found, parameters);
        hits += static_cast<std::int64_t>(found.size());
    }
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
