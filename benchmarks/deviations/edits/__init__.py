"""All deviations, by topic."""

from benchmarks.deviations.edits import (
    activations,
    blocks,
    convolutions,
    directions,
    dropouts,
    embeddings,
    gradients,
    inputs,
    losses,
    normalisation,
    optimisers,
    order,
    precision,
    rates,
    recurrent,
    regularisation,
    state,
    weights,
)

DEVIATIONS = tuple(
    one
    for topic in (
        activations,
        convolutions,
        blocks,
        normalisation,
        inputs,
        embeddings,
        recurrent,
        directions,
        dropouts,
        weights,
        gradients,
        losses,
        regularisation,
        optimisers,
        rates,
        state,
        order,
        precision,
    )
    for one in topic.DEVIATIONS
)
