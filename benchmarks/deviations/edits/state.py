"""What an optimiser or a net keeps from one batch, or one call of `train`, to the next."""

from __future__ import annotations

from benchmarks.deviations.deviation import Deviation, deviation, swap
from benchmarks.deviations.nets import CLASSIFIER, LENET, NESTEROV, RESIDUAL

LOOP = "    for x, y in batches:\n"
STEP = "        optimizer.step()\n"
LOOP_GLUON, STEP_GLUON = LOOP, "        trainer.step(len(x))\n"
FORGOTTEN = "reset|forg|lost|new|again|anew|state|cleared|not kept|fresh"

DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "state-reset-each-batch",
        CLASSIFIER,
        "Adam's state is forgotten after each batch: an optimiser made in the loop",
        says=(FORGOTTEN, "each|every|batch|step|state|between"),
        torch=swap(STEP, STEP + "        optimizer.state.clear()\n"),
        flax=swap(
            "    optimizer.update(net, grads)",
            "    optimizer = nnx.Optimizer(net, optimizer.tx, wrt=nnx.Param)\n    optimizer.update(net, grads)",
        ),
        gluon=swap(
            LOOP,
            LOOP + '        if trainer.optimizer.__class__.__name__ == "Adam":\n'
            '            trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-3})\n',
        ),
    ),
    deviation(
        "state-forgotten-between-epochs",
        CLASSIFIER,
        "Adam's state is forgotten at each call of train: an optimiser for each epoch",
        says=(FORGOTTEN, "call|epoch|train|between|state"),
        torch=swap(LOOP, "    optimizer.state.clear()\n" + LOOP),
        keras=swap(
            "    return learner.fit(",
            "    learner.optimizer.build(learner.trainable_variables)\n"
            "    for v in learner.optimizer.variables:\n"
            '        if v.name != "learning_rate":\n'
            "            v.assign(keras.ops.zeros_like(v))\n"
            "    return learner.fit(",
        ),
        flax=swap(
            "    net, optimizer = learner\n",
            "    net, optimizer = learner\n    optimizer = nnx.Optimizer(net, optimizer.tx, wrt=nnx.Param)\n",
        ),
    ),
    deviation(
        "velocity-forgotten-between-epochs",
        NESTEROV,
        "the velocity is forgotten at each call of train",
        says=(FORGOTTEN, "call|epoch|train|between|state|velocit|momentum"),
        blind=True,
        torch=swap(LOOP, "    optimizer.state.clear()\n" + LOOP),
        flax=swap(
            "    net, optimizer = learner\n",
            "    net, optimizer = learner\n    optimizer = nnx.Optimizer(net, optimizer.tx, wrt=nnx.Param)\n",
        ),
    ),
    deviation(
        "step-count-forgotten",
        CLASSIFIER,
        "Adam's moments are carried on, its number of steps begins anew at each call of train",
        says=(
            "step|count|correct|number|t\\b",
            "call|epoch|train|anew|again|reset|restart|forg|begin",
        ),
        torch=swap(
            LOOP,
            '    for state in optimizer.state.values():\n        if "exp_avg" in state:\n            state["step"].zero_()\n'
            + LOOP,
        ),
    ),
    deviation(
        "moments-forgotten",
        CLASSIFIER,
        "Adam's number of steps is carried on, its moments are forgotten at each call of train",
        says=("moment|state|average", "call|epoch|train|anew|again|reset|forg|cleared|lost"),
        blind=True,
        torch=swap(
            LOOP,
            '    for state in optimizer.state.values():\n        if "exp_avg" in state:\n'
            '            state["exp_avg"].zero_()\n            state["exp_avg_sq"].zero_()\n'
            + LOOP,
        ),
    ),
    deviation(
        "schedule-forgotten",
        NESTEROV,
        "the velocity is halved at each call of train",
        says=("velocit|momentum|state",),
        blind=True,
        torch=swap(
            LOOP,
            "    for state in optimizer.state.values():\n"
            '        if state.get("momentum_buffer") is not None:\n'
            '            state["momentum_buffer"] /= 2\n' + LOOP,
        ),
    ),
    deviation(
        "statistics-forgotten",
        RESIDUAL,
        "running statistics begin anew at each call of train",
        where="bn|running|statistic",
        says=("anew|reset|again|forg|call|epoch|begin|initial",),
        blind=True,
        torch=swap(
            LOOP,
            "    for module in net.modules():\n        if isinstance(module, nn.BatchNorm2d):\n"
            "            module.reset_running_stats()\n" + LOOP,
        ),
    ),
    deviation(
        "weights-averaged-in-prediction",
        LENET,
        "prediction uses an average of the weights over the steps",
        says=("averag|ema|smooth|polyak|earlier|predict", "weight|predict|averag"),
        blind=True,
        torch=swap(
            STEP,
            f"{STEP}        for p in net.parameters():\n"
            "            p.average = 0.5 * getattr(p, 'average', p.data) + 0.5 * p.data\n",
        )
        + swap(
            "    net.eval()\n    with torch.inference_mode():\n        return net(torch.from_numpy(x))",
            "    net.eval()\n    means = {n: getattr(p, 'average', p.data) for n, p in net.named_parameters()}\n"
            "    with torch.no_grad():\n        return torch.func.functional_call(net, means, torch.from_numpy(x))",
        ),
    ),
    deviation(
        "weights-averaged",
        LENET,
        "every weight is drawn halfway back to where it was at the step before",
        says=("half|0\\.5|averag|rate|back|slow|lookahead|ema",),
        blind=True,
        torch=swap(
            STEP,
            "        old = [p.detach().clone() for p in net.parameters()]\n"
            + STEP
            + "        with torch.no_grad():\n            for p, was in zip(net.parameters(), old):\n"
            "                p.lerp_(was, 0.5)\n",
        ),
    ),
    deviation(
        "lookahead",
        LENET,
        "after every second step weights go halfway back: Lookahead",
        says=("lookahead|second step|two steps|half|back|every 2|averag",),
        blind=True,
        torch=swap(
            STEP,
            STEP + "        if len(losses) % 2:\n            with torch.no_grad():\n"
            "                for p in net.parameters():\n"
            "                    p.lerp_(p.slow, 0.5)\n                    p.slow = p.detach().clone()\n",
        )
        + swap(
            LOOP, "    for p in net.parameters():\n        p.slow = p.detach().clone()\n" + LOOP
        ),
    ),
)
