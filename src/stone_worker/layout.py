"""The order of a flattened map's values in frameworks that hold channels last."""

import numpy as np


def hwc_order(segments):
    """Where each value of a vector flattened height, width, channels stands in canonical order.

    `segments` are the [C, H, W] maps the vector was flattened from, one after another; a stretch
    of n plain features is [n, 1, 1]. `native = canonical[..., hwc_order(segments)]`, and back:
    `canonical[..., hwc_order(segments)] = native`.
    """
    orders, start = [], 0
    for channels, height, width in segments:
        count = channels * height * width
        canonical = np.arange(start, start + count).reshape(channels, height, width)
        orders.append(canonical.transpose(1, 2, 0).ravel())
        start += count
    return np.concatenate(orders)
