"""Numbers of less precision than float32, somewhere."""

from __future__ import annotations

from benchmarks.deviations.deviation import Deviation, Edit, deviation, swap, torch_module
from benchmarks.deviations.nets import CLASSIFIER, LENET, NESTEROV, RESIDUAL, TEXTS_ONE_BIAS

PRECISION = "precision|round|float16|bfloat16|half|digits|bits|tf32"
LEARN, STEP = "def learner(net):\n", "        optimizer.step()\n"


def first(line: str, forwards: int = 1) -> Edit:
    """In PyTorch, a line first in the last class's forward."""
    head = "def forward(self, x):\n"
    return swap(head, f"{head}        {line}\n", forwards, forwards - 1)


def after_update(line: str) -> Edit:
    loop = "        with torch.no_grad():\n            for p in net.parameters():\n                "
    return swap(STEP, f"{STEP}{loop}{line}\n")


DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "autocast-bfloat16",
        LENET,
        "the forward pass runs under autocast in bfloat16",
        says=(PRECISION,),
        torch=swap(
            "loss = loss_fn(net(x), y)",
            "with torch.autocast('cpu', torch.bfloat16):\n            loss = loss_fn(net(x), y)",
        ),
        keras=swap(
            "def network():\n",
            'def network():\n    keras.config.set_dtype_policy("mixed_bfloat16")\n',
        ),
    ),
    deviation(
        "autocast-float16",
        LENET,
        "the forward pass runs under autocast in float16",
        says=(PRECISION,),
        torch=swap(
            "loss = loss_fn(net(x), y)",
            "with torch.autocast('cpu', torch.float16):\n            loss = loss_fn(net(x), y)",
        ),
    ),
    deviation(
        "weights-bfloat16",
        LENET,
        "weights are kept in bfloat16's precision",
        says=(PRECISION,),
        torch=after_update("p.copy_(p.bfloat16())"),
        flax=swap(
            "    optimizer.update(net, grads)",
            "    optimizer.update(net, grads)\n    weights = nnx.state(net, nnx.Param)\n"
            "    nnx.update(net, jax.tree.map(lambda p: p.astype('bfloat16').astype('float32'), weights))",
        )
        + swap("import optax", "import jax\nimport optax"),
    ),
    deviation(
        "products-tf32",
        LENET,
        "the first dense layer rounds what it multiplies to 10 bits, as TF32 does",
        where="fc1|product|matmul",
        says=(PRECISION,),
        torch=torch_module(
            "def tf32(v):\n    bits = v.detach().contiguous().view(torch.int32)\n"
            "    return v + (((bits + 4096) & -8192).view(torch.float32) - v).detach()\n"
        )
        + swap("self.fc1(x)", "F.linear(tf32(x), tf32(self.fc1.weight), self.fc1.bias)"),
        flax=swap(
            "nnx.Linear(24, 10, rngs=rngs)", "nnx.Linear(24, 10, dtype='float16', rngs=rngs)"
        ),
    ),
    deviation(
        "inputs-float16",
        CLASSIFIER,
        "the samples pass through float16",
        where="input|sample|fc1",
        says=(PRECISION,),
        blind=True,
        torch=first("x = x.half().float()"),
        flax=swap(
            "def __call__(self, x):\n",
            "def __call__(self, x):\n        x = x.astype('float16').astype('float32')\n",
        ),
    ),
    deviation(
        "inputs-of-bytes",
        LENET,
        "the samples are rounded to steps of 1/16",
        where="input|sample|conv1",
        says=(PRECISION + "|quanti|step|1/16|0\\.06",),
        blind=True,
        torch=first("x = (x * 16).round() / 16"),
        flax=swap(
            "def __call__(self, x):\n",
            "def __call__(self, x):\n        x = (x * 16).round() / 16\n",
        ),
    ),
    deviation(
        "gradients-bfloat16",
        LENET,
        "gradients pass through bfloat16, as compressed for a network",
        says=(PRECISION, "gradient|update|backward"),
        blind=True,
        torch=swap(
            STEP,
            f"        for p in net.parameters():\n            p.grad = p.grad.bfloat16().float()\n{STEP}",
        ),
    ),
    deviation(
        "velocity-bfloat16",
        NESTEROV,
        "the velocity is kept in bfloat16",
        says=(PRECISION, "velocit|momentum|state|optimi"),
        blind=True,
        torch=swap(
            STEP,
            STEP + "        for state in optimizer.state.values():\n"
            "            if state.get('momentum_buffer') is not None:\n"
            "                state['momentum_buffer'] = state['momentum_buffer'].bfloat16().float()\n",
        ),
        flax=swap(
            "momentum=0.9, nesterov=True",
            "momentum=0.9, nesterov=True, accumulator_dtype='bfloat16'",
        ),
    ),
    deviation(
        "recurrence-float16",
        TEXTS_ONE_BIAS,
        "the first LSTM's outputs pass through bfloat16",
        where="lstm1",
        says=(PRECISION,),
        blind=True,
        torch=swap(
            "x, _ = self.lstm1(x)", "x, _ = self.lstm1(x)\n        x = x.bfloat16().float()"
        ),
        flax=swap("x = self.lstm1(x)", "x = self.lstm1(x).astype('bfloat16').astype('float32')"),
    ),
    deviation(
        "prediction-of-bytes",
        LENET,
        "prediction rounds weights to 8 bits",
        says=(PRECISION + "|quanti|8|predict",),
        blind=True,
        torch=swap(
            "    net.eval()\n    with torch.inference_mode():\n        return net(torch.from_numpy(x))",
            "    net.eval()\n    small = {n: (p / p.abs().amax() * 127).round() * p.abs().amax() / 127 for n, p in net.named_parameters()}\n"
            "    with torch.no_grad():\n        return torch.func.functional_call(net, small, torch.from_numpy(x))",
        ),
    ),
    deviation(
        "prediction-float16",
        RESIDUAL,
        "prediction runs under autocast in bfloat16",
        says=(PRECISION,),
        blind=True,
        torch=swap(
            "with torch.inference_mode():\n        return net(torch.from_numpy(x))",
            "with torch.inference_mode(), torch.autocast('cpu', torch.bfloat16):\n"
            "        return net(torch.from_numpy(x)).float()",
        ),
    ),
)
