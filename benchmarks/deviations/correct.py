"""Other ways to compute the same numbers, up to rounding: a proof must accept all of them."""

from __future__ import annotations

from benchmarks.deviations.deviation import (
    FLAX,
    GLUON,
    KERAS,
    TORCH,
    Edit,
    Variation,
    swap,
    torch_module,
)
from benchmarks.deviations.edits.normalisation import by_hand
from benchmarks.deviations.edits.optimisers import adam
from benchmarks.deviations.edits.recurrent import gru, lstm
from benchmarks.deviations.nets import (
    BIDIRECTIONAL,
    BINARY,
    CLASSIFIER,
    DENSE,
    DEPTHWISE,
    LENET,
    LOPSIDED,
    NESTEROV,
    ODD,
    RESIDUAL,
    SERIES,
    SMOOTH,
    TEXTS,
)

FIRST = "def network():\n"
STEP = "        optimizer.step()\n"

UNFOLD = """def unfolded(x, layer, padding=0):
    n, _, height, width = x.shape
    columns = F.unfold(x, layer.kernel_size, padding=padding)
    y = layer.weight.flatten(1) @ columns + layer.bias[:, None]
    size = [side + 2 * padding - k + 1 for side, k in zip((height, width), layer.kernel_size)]
    return y.reshape(n, -1, *size)


"""
HAND_MOMENTUM = """class HandMade(torch.optim.Optimizer):
    def __init__(self, params, lr, momentum, nesterov):
        super().__init__(params, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                v = self.state[p].get("v", torch.zeros_like(p))
                v = self.state[p]["v"] = group["momentum"] * v - group["lr"] * p.grad
                p += group["momentum"] * v - group["lr"] * p.grad


"""
MICRO = """        for part in (slice(0, len(x) // 2), slice(len(x) // 2, len(x))):
            some = loss_fn(net(x[part]), y[part]) * len(y[part]) / len(y)
            some.backward()
"""
ONE_PASS = "(x * x).mean((0, 2, 3)) - x.mean((0, 2, 3)) ** 2"


def torch(edit: Edit) -> dict[str, Edit]:
    return {TORCH: edit}


def ce(new: str) -> dict[str, Edit]:
    return torch(swap("nn.CrossEntropyLoss()", new))


def more(was: str, argument: str) -> dict[str, Edit]:
    return torch(swap(was, f"{was}, {argument}"))


VARIATIONS: tuple[Variation, ...] = (
    Variation(
        "optimiser-foreach",
        CLASSIFIER,
        "Adam over all arrays at once",
        more("lr=1e-3", "foreach=True"),
    ),
    Variation("optimiser-fused", CLASSIFIER, "Adam in one kernel", more("lr=1e-3", "fused=True")),
    Variation(
        "optimiser-one-by-one",
        RESIDUAL,
        "SGD array by array",
        more("momentum=0.9", "foreach=False"),
    ),
    Variation(
        "adam-by-hand",
        CLASSIFIER,
        "Adam written by hand",
        torch(adam("p -= lr * m / (1 - 0.9**t) / ((v / (1 - 0.999**t)).sqrt() + 1e-8)")),
    ),
    Variation(
        "momentum-by-hand",
        NESTEROV,
        "Nesterov's momentum by hand, the rate inside the velocity",
        torch(torch_module(HAND_MOMENTUM) + swap("torch.optim.SGD(", "HandMade(")),
    ),
    Variation(
        "double-inside",
        CLASSIFIER,
        "the second dense layer in double precision and back",
        torch(
            swap(
                "self.fc2(x)",
                "nn.functional.linear(x.double(), self.fc2.weight.double(), self.fc2.bias.double()).float()",
            )
        ),
    ),
    Variation(
        "channels-last",
        RESIDUAL,
        "the maps lie in memory channels last",
        torch(
            swap(
                "return SmallResNet()", "return SmallResNet().to(memory_format=torch.channels_last)"
            )
            + swap(
                "x = F.relu(self.bn1(self.conv1(x)))",
                "x = x.contiguous(memory_format=torch.channels_last)\n        x = F.relu(self.bn1(self.conv1(x)))",
            )
        ),
    ),
    Variation(
        "micro-batches",
        LENET,
        "two halves of each batch, their gradients added",
        torch(swap("        loss.backward()\n", "        loss = loss.detach()\n" + MICRO)),
    ),
    Variation(
        "convolution-unfolded",
        LENET,
        "a convolution as a product of unfolded columns",
        torch(
            torch_module(UNFOLD)
            + swap("self.conv1(x)", "unfolded(x, self.conv1, 1)")
            + swap("self.conv2(x)", "unfolded(x, self.conv2)")
        ),
    ),
    Variation(
        "one-thread",
        LENET,
        "one thread is asked for",
        torch(swap(FIRST, f"{FIRST}    torch.set_num_threads(1)\n")),
    ),
    Variation(
        "other-kernels",
        DEPTHWISE,
        "oneDNN is off",
        torch(torch_module("torch.backends.mkldnn.enabled = False")),
    ),
    Variation(
        "other-kernels-lopsided",
        LOPSIDED,
        "oneDNN is off",
        torch(torch_module("torch.backends.mkldnn.enabled = False")),
    ),
    Variation(
        "loss-by-hand",
        LENET,
        "the cross-entropy by log-sum-exp",
        ce("lambda o, y: (torch.logsumexp(o, 1) - o.gather(1, y[:, None])[:, 0]).mean()"),
    ),
    Variation(
        "loss-in-two-steps",
        DENSE,
        "log-softmax, then the negative log-likelihood",
        ce("lambda o, y: F.nll_loss(F.log_softmax(o, 1), y)"),
    ),
    Variation(
        "loss-mean-after",
        RESIDUAL,
        "each sample's loss, then their mean",
        ce("lambda o, y: nn.CrossEntropyLoss(reduction='none')(o, y).mean()"),
    ),
    Variation(
        "loss-one-hot",
        CLASSIFIER,
        "the cross-entropy of one-hot labels",
        ce("lambda o, y: F.cross_entropy(o, F.one_hot(y, 5).float())"),
    ),
    Variation(
        "binary-loss-by-hand",
        BINARY,
        "the binary cross-entropy by softplus",
        torch(swap("nn.BCEWithLogitsLoss()", "lambda o, y: (F.softplus(o) - o * y).mean()")),
    ),
    Variation(
        "squared-loss-by-hand",
        SMOOTH,
        "the squared error as a product with itself",
        torch(
            swap(
                "nn.MSELoss()",
                "lambda o, y: torch.dot((o - y).flatten(), (o - y).flatten()) / y.numel()",
            )
        ),
    ),
    Variation(
        "batch-norm-two-passes",
        ODD,
        "batch norm by hand, the variance in two passes",
        torch(
            by_hand(
                "x.var((0, 2, 3), correction=0)",
                "((x - x.mean((0, 2, 3), keepdim=True)) ** 2).mean((0, 2, 3))",
            )
        ),
    ),
    Variation(
        "batch-norm-one-pass",
        ODD,
        "batch norm by hand, the variance in one pass",
        torch(by_hand("x.var((0, 2, 3), correction=0)", ONE_PASS)),
    ),
    Variation(
        "batch-norm-as-factor",
        ODD,
        "batch norm by hand as one factor and one summand",
        torch(
            by_hand(
                "(x - mean) / torch.sqrt(var + self.eps) * weight + bias",
                "x * (weight * torch.rsqrt(var + self.eps)) + (bias - mean * weight * torch.rsqrt(var + self.eps))",
            )
        ),
    ),
    Variation(
        "sum-in-another-order",
        LENET,
        "a dense layer's inputs summed from the last",
        torch(swap("self.fc1(x)", "F.linear(x.flip(1), self.fc1.weight.flip(1), self.fc1.bias)")),
    ),
    Variation(
        "einsum",
        CLASSIFIER,
        "dense layers by einsum",
        torch(
            swap("self.fc2(x)", "(torch.einsum('bi,oi->bo', x, self.fc2.weight) + self.fc2.bias)")
        ),
    ),
    Variation(
        "mean-by-pool",
        RESIDUAL,
        "the global mean by a pool of one place",
        torch(
            swap(
                "torch.mean(self.residual2(x), dim=(2, 3))",
                "F.adaptive_avg_pool2d(self.residual2(x), 1).flatten(1)",
            )
        ),
    ),
    Variation(
        "pool-before-relu",
        LENET,
        "the max pool before the ReLU: they commute",
        torch(
            swap("F.max_pool2d(F.relu(self.conv1(x)), 2)", "F.relu(F.max_pool2d(self.conv1(x), 2))")
        ),
    ),
    Variation(
        "gru-by-hand",
        SERIES,
        "a GRU's steps by hand",
        torch(gru("(1 - z) * n + z * h", "n + z * (h - n)")),
    ),
    Variation(
        "lstm-by-hand",
        TEXTS,
        "an LSTM's steps by hand",
        torch(lstm("i, f, g, o =", "i, f, g, o =")),
    ),
    Variation(
        "gradients-scaled-and-back",
        LENET,
        "the loss times 1024, gradients divided by it",
        torch(
            swap("loss.backward()", "(1024 * loss).backward()")
            + swap(STEP, f"        for p in net.parameters():\n            p.grad /= 1024\n{STEP}")
        ),
    ),
    Variation(
        "clipped-far-away",
        CLASSIFIER,
        "gradients clipped at a norm that none reaches",
        torch(swap(STEP, f"        nn.utils.clip_grad_norm_(net.parameters(), 1e6)\n{STEP}")),
    ),
    Variation(
        "zeroed-gradients",
        CLASSIFIER,
        "gradients set to zero, not to None",
        torch(swap("zero_grad()", "zero_grad(set_to_none=False)")),
    ),
    Variation(
        "groups-of-parameters",
        CLASSIFIER,
        "two parameter groups with the same rate",
        torch(
            swap(
                "net.parameters(), lr=1e-3",
                "[{'params': net.fc1.parameters()}, {'params': [*net.fc2.parameters(), *net.fc3.parameters()]}], lr=1e-3",
            )
        ),
    ),
    Variation(
        "table-by-product",
        BIDIRECTIONAL,
        "the embedding as a product with one-hot rows",
        torch(
            swap("self.embed1(x)", "(nn.functional.one_hot(x, 30).float() @ self.embed1.weight)")
        ),
    ),
    Variation(
        "gelu-by-hand",
        SMOOTH,
        "GELU by the error function",
        torch(swap("F.gelu(", "(lambda v: v * (1 + torch.erf(v / 2**0.5)) / 2)("))
        | {
            FLAX: swap(
                "nnx.gelu(self.fc1(x), approximate=False)",
                "jax.nn.gelu(self.fc1(x), approximate=False)",
            )
            + swap("import optax", "import jax\nimport optax")
        },
    ),
    Variation(
        "keras-run-eagerly",
        LENET,
        "the step is run eagerly",
        {
            KERAS: swap(
                "net.compile(optimizer, loss_fn)",
                "net.compile(optimizer, loss_fn, run_eagerly=True)",
            )
        },
    ),
    Variation(
        "keras-jit",
        CLASSIFIER,
        "the step is compiled by XLA",
        {
            KERAS: swap(
                "net.compile(optimizer, loss_fn)",
                "net.compile(optimizer, loss_fn, jit_compile=True)",
            )
        },
    ),
    Variation(
        "keras-loss-by-hand",
        LENET,
        "a loss function of one's own",
        {
            KERAS: swap(
                "keras.losses.SparseCategoricalCrossentropy(from_logits=True)",
                "(lambda y, o: keras.ops.mean(keras.losses.sparse_categorical_crossentropy(y, o, from_logits=True)))",
            )
        },
    ),
    # Keras's own softmax remembers what it read, and a loss of logits takes that.
    Variation(
        "keras-softmax-taken-back",
        LENET,
        "a softmax before a loss of logits, which Keras takes back",
        {
            KERAS: swap(
                "keras.losses.SparseCategoricalCrossentropy(from_logits=True)",
                "(lambda y, o: keras.losses.sparse_categorical_crossentropy(y, keras.ops.softmax(o), from_logits=True))",
            )
        },
    ),
    # The whole model's `training` takes the place of the layer's own.
    Variation(
        "keras-training-false",
        RESIDUAL,
        "training=False on a batch norm of a functional model, which `fit` overrides",
        {KERAS: swap("epsilon=1e-5)(x)", "epsilon=1e-5)(x, training=False)")},
    ),
    Variation(
        "keras-activation-apart",
        LENET,
        "activations as layers of their own",
        {
            KERAS: swap(
                'layers.Dense(10, activation="relu")', 'layers.Dense(10), layers.Activation("relu")'
            )
        },
    ),
    Variation(
        "flax-product-by-hand",
        CLASSIFIER,
        "a dense layer by einsum",
        {
            FLAX: swap(
                "self.fc2(x)",
                "(jnp.einsum('bi,io->bo', x, self.fc2.kernel[...]) + self.fc2.bias[...])",
            )
            + swap("import numpy as np", "import jax.numpy as jnp\nimport numpy as np")
        },
    ),
    Variation(
        "flax-adam-chained",
        CLASSIFIER,
        "Adam as its two parts",
        {FLAX: swap("optax.adam(1e-3)", "optax.chain(optax.scale_by_adam(), optax.scale(-1e-3))")},
    ),
    Variation(
        "flax-loss-of-one-hot",
        LENET,
        "the cross-entropy of one-hot labels",
        {
            FLAX: swap(
                "optax.softmax_cross_entropy_with_integer_labels(net(x), y)",
                "optax.softmax_cross_entropy(net(x), nnx.one_hot(y, 4))",
            )
        },
    ),
    Variation(
        "flax-uncompiled",
        LENET,
        "the step is not compiled",
        {FLAX: swap("@nnx.jit\ndef step", "def step")},
    ),
    Variation(
        "gluon-loss-mean",
        LENET,
        "the mean of losses is taken before backward",
        {
            GLUON: swap("loss = loss_fn(net(x), y)", "loss = loss_fn(net(x), y).mean()")
            + swap("trainer.step(len(x))", "trainer.step(1)")
        },
    ),
    Variation(
        "gluon-activation-apart",
        LENET,
        "activations as layers of their own",
        {GLUON: swap('nn.Dense(10, activation="relu")', 'nn.Dense(10), nn.Activation("relu")')},
    ),
    Variation(
        "gluon-loss-by-hand",
        LENET,
        "log-softmax and pick",
        {
            GLUON: swap(
                "gluon.loss.SoftmaxCrossEntropyLoss()",
                "(lambda o, y: -mx.nd.pick(o.log_softmax(), y))",
            )
        },
    ),
)
