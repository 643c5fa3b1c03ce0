"""Gradients scaled, summed over batches, clipped, or used at the wrong time."""

from __future__ import annotations

from benchmarks.deviations.deviation import Deviation, Edit, deviation, swap
from benchmarks.deviations.nets import CLASSIFIER, LENET, NESTEROV, RESIDUAL, SMOOTH

BACKWARD, STEP, ZERO = (
    "loss.backward()",
    "        optimizer.step()\n",
    "        optimizer.zero_grad()\n",
)
KERAS_SGD, FLAX_SGD = "keras.optimizers.SGD(learning_rate=0.05", "optax.sgd(0.05)"
FLAX_UPDATE = "    optimizer.update(net, grads)"


def before_step(line: str) -> Edit:
    """In PyTorch, between the gradients and the update."""
    return swap(STEP, f"        {line}\n{STEP}")


def each_gradient(expression: str) -> Edit:
    """In PyTorch, each gradient `g` replaced before the update."""
    loop = "for p in net.parameters():\n            g = p.grad\n            p.grad = "
    return before_step(loop + expression)


def chained(transformation: str, inner: str = FLAX_SGD) -> Edit:
    return swap(inner, f"optax.chain({transformation}, {inner})")


DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "gradients-doubled",
        LENET,
        "gradients are doubled",
        says=("gradient|rate|update|step|loss", "2|twice|doubl"),
        torch=swap(BACKWARD, "(2 * loss).backward()"),
        flax=chained("optax.scale(2.0)"),
        gluon=swap(BACKWARD, "(2 * loss).backward()"),
    ),
    deviation(
        "gradients-halved",
        NESTEROV,
        "gradients are halved, as for two devices",
        says=("gradient|rate|update|step|loss", r"0\.5|half|halv|1/2"),
        torch=swap(BACKWARD, "(loss / 2).backward()"),
        gluon=swap("trainer.step(len(x))", "trainer.step(2 * len(x))"),
        flax=swap(FLAX_UPDATE, "    grads = jax.tree.map(lambda g: g / 2, grads)\n" + FLAX_UPDATE)
        + swap("import optax", "import jax\nimport optax"),
    ),
    deviation(
        "gradients-summed",
        LENET,
        "the update takes the sum over the batch: Gluon's step(1)",
        says=("sum|batch|6|times|factor",),
        torch=swap(BACKWARD, "(loss * len(x)).backward()"),
        gluon=swap("trainer.step(len(x))", "trainer.step(1)"),
        flax=chained("optax.scale(6.0)"),
    ),
    deviation(
        "gradients-accumulated",
        LENET,
        "zero_grad is left out: gradients add up over the batches",
        says=("accumul|add up|sum|zero_grad|cleared|earlier|previous|before",),
        torch=swap(ZERO, ""),
    ),
    deviation(
        "gradients-accumulated-by-two",
        LENET,
        "an update at every second batch, of both batches' gradients",
        says=("second|every 2|two|accumul|skip|2",),
        blind=True,
        torch=swap(ZERO, "")
        + swap(
            STEP,
            "        if len(losses) % 2:\n            optimizer.step()\n            optimizer.zero_grad()\n",
        ),
        keras=swap(KERAS_SGD, KERAS_SGD + ", gradient_accumulation_steps=2"),
        flax=swap(FLAX_SGD, "optax.MultiSteps(optax.sgd(0.05), 2)"),
    ),
    deviation(
        "gradients-cleared-too-late",
        LENET,
        "zero_grad between backward and step: nothing is trained",
        says=(
            "not train|nothing|never|no weight|unchanged|not move|stay|no update|not updated|rest|frozen",
        ),
        blind=True,
        torch=swap(ZERO, "") + swap(STEP, ZERO + STEP),
    ),
    deviation(
        "update-one-batch-late",
        CLASSIFIER,
        "the optimiser steps before the new gradients are there: each update is one batch late",
        says=("late|delay|previous|before|earlier|one step|last",),
        blind=True,
        torch=swap(STEP, "") + swap(ZERO, STEP + ZERO),
    ),
    deviation(
        "clipped-by-norm",
        LENET,
        "gradients are clipped to a common norm of 0.1",
        says=("clip|norm|limit|shorten|scaled down", "norm|length", r"0\.1"),
        torch=before_step("nn.utils.clip_grad_norm_(net.parameters(), 0.1)"),
        keras=swap(KERAS_SGD, KERAS_SGD + ", global_clipnorm=0.1"),
        flax=chained("optax.clip_by_global_norm(0.1)"),
        gluon=swap(
            "        trainer.step(len(x))",
            '        there = [p.grad() for p in net.collect_params().values() if p.grad_req != "null"]\n'
            "        gluon.utils.clip_global_norm(there, 0.1 * len(x))\n"
            "        trainer.step(len(x))",
        ),
    ),
    deviation(
        "clipped-by-value",
        LENET,
        "each gradient is clipped to ±0.01",
        says=("clip|limit|cap|between|at most", r"0?\.01"),
        torch=before_step("nn.utils.clip_grad_value_(net.parameters(), 0.01)"),
        keras=swap(KERAS_SGD, KERAS_SGD + ", clipvalue=0.01"),
        flax=chained("optax.clip(0.01)"),
        gluon=swap('"learning_rate": 0.05', '"learning_rate": 0.05, "clip_gradient": 0.01'),
    ),
    deviation(
        "clipped-by-layer",
        LENET,
        "each array's gradient is clipped to a norm of 0.1 of its own",
        says=("clip|norm|limit", "each|own|array|layer|0\\.1"),
        blind=True,
        torch=before_step(
            "for p in net.parameters():\n            nn.utils.clip_grad_norm_(p, 0.1)"
        ),
        keras=swap(KERAS_SGD, KERAS_SGD + ", clipnorm=0.1"),
    ),
    deviation(
        "gradients-normalised",
        LENET,
        "each gradient is divided by its norm",
        says=("norm|length|divid|unit",),
        blind=True,
        torch=each_gradient("g / g.norm()"),
    ),
    deviation(
        "gradients-centralised",
        LENET,
        "the mean of each output's gradients is taken from them",
        says=("mean|centr|center",),
        blind=True,
        torch=each_gradient(
            "g - g.flatten(1).mean(1).view(-1, *[1] * (g.ndim - 1)) if g.ndim > 1 else g"
        ),
        flax=chained("optax.centralize()"),
    ),
    deviation(
        "signs-of-gradients",
        LENET,
        "only each gradient's sign is used",
        says=("sign",),
        blind=True,
        torch=each_gradient("g.sign()"),
        flax=swap(FLAX_SGD, "optax.sign_sgd(0.05)"),
    ),
    deviation(
        "gradient-of-one-layer-scaled",
        RESIDUAL,
        "a tenth of the last layer's gradient goes on into the layers before it",
        where="fc1|pool2",
        says=("gradient|rate", r"0\.1|tenth|scal|factor|smaller|10"),
        blind=True,
        torch=swap("return self.fc1(x)", "return self.fc1(0.1 * x + 0.9 * x.detach())"),
    ),
    deviation(
        "noisy-gradients",
        SMOOTH,
        "noise of a deviation of 0.01 is added to gradients",
        says=("noise|random|repeat|determin|differ",),
        blind=True,
        torch=each_gradient("g + 0.01 * torch.randn_like(g)"),
        flax=swap(
            "optax.sgd(0.02, momentum=0.9)",
            "optax.chain(optax.add_noise(1e-4, 0, 0), optax.sgd(0.02, momentum=0.9))",
        ),
    ),
    deviation(
        "step-twice",
        NESTEROV,
        "the optimiser steps twice for each batch",
        says=("twice|two|2|doubl",),
        blind=True,
        torch=swap(STEP, STEP * 2),
        gluon=swap("        trainer.step(len(x))\n", "        trainer.step(len(x))\n" * 2),
        flax=swap(FLAX_UPDATE, FLAX_UPDATE + "\n" + FLAX_UPDATE),
    ),
    deviation(
        "step-missing",
        LENET,
        "the optimiser never steps",
        says=(
            "not train|nothing|never|no weight|unchanged|not move|stay|no update|not updated|rest|frozen",
        ),
        blind=True,
        torch=swap(STEP, ""),
        gluon=swap("        trainer.step(len(x))\n", ""),
        flax=swap(FLAX_UPDATE + "\n", ""),
    ),
    deviation(
        "ascent",
        LENET,
        "the loss is maximised: the update has the wrong sign",
        says=("sign|ascen|maxim|opposite|wrong direction|negat|-1|−1|added",),
        blind=True,
        torch=swap(BACKWARD, "(-loss).backward()"),
        flax=chained("optax.scale(-1.0)"),
        gluon=swap(BACKWARD, "(-loss).backward()"),
    ),
)
