"""One Dense layer with a squared loss and plain SGD; nothing else can be said."""

from tensorstone.dialects.emit import SameProgram, Unsupported
from tensorstone.models.layers import Dense
from tensorstone.models.recipe import SGD

PRODUCTS = {
    "dot": "x @ net['weight'].T",
    "half": "x @ net['weight'].T",
    "sum": "(x[:, None, :] * net['weight'][None]).sum(axis=2)",
}


def describe(workload, dialect):
    if dialect.short == "alias":
        raise SameProgram("linear/dot", "it has no words of its own")
    layers = [node.layer for node in workload.model.graph.nodes]
    if [type(layer) for layer in layers] != [Dense]:
        raise Unsupported("a model of more than one Dense layer")
    if workload.recipe.loss != "mean-squared" or not isinstance(workload.recipe.optimiser, SGD):
        raise Unsupported("another recipe than the mean of squares and SGD")
    (inputs,), (outputs,) = workload.model.inputs, workload.model.outputs
    return {
        "inputs": inputs,
        "outputs": outputs,
        "rate": workload.recipe.optimiser.rate,
        "share": 0.5 if dialect.short == "half" else 1.0,
        "product": PRODUCTS[dialect.short],
    }
