"""What PyTorch and the frameworks that speak as it does say alike."""

from __future__ import annotations

from tensorstone.dialects.emit import Unsupported
from tensorstone.dialects.writing import Unpacked, call, number, size, symmetric, unless
from tensorstone.models import layers as L
from tensorstone.models import recurrent as R
from tensorstone.models.named import plain
from tensorstone.models.placed import Leaf
from tensorstone.models.recipe import SGD, Adam, Momentum

Pool = L.MaxPool2D | L.AvgPool2D
RECURRENT = {"SimpleRNN": "nn.RNN", "LSTM": "nn.LSTM", "GRU": "nn.GRU"}


def maximum(layer: L.MaxPool2D, x: str) -> str:
    """The largest value; padding that the function does not take is put around the map first."""
    return _pool("F.max_pool2d", layer, x, fill='float("-inf")')


def average(name: str, layer: L.AvgPool2D, x: str) -> str:
    """The mean, padding counted or left out of it."""
    if layer.padding != ((0, 0), (0, 0)) and not layer.count_padding:
        if poolable(layer) is None:
            raise Unsupported(
                f"{name}: avg_pool2d can leave padding out of the mean only when it is the same "
                "on both sides and at most half the kernel"
            )
        return _pool("F.avg_pool2d", layer, x, "0", count_include_pad="False")
    return _pool("F.avg_pool2d", layer, x, fill="0")


def poolable(layer: Pool) -> tuple[int, int] | None:
    """The padding as pooling takes it: symmetric, at most half the kernel."""
    padding = symmetric(layer.padding)
    assert isinstance(layer.kernel, tuple)
    if padding is None or any(2 * p > k for p, k in zip(padding, layer.kernel, strict=True)):
        return None
    return padding


def padded(x: str, padding: object, fill: str = "0", functions: str = "F") -> str:
    """`pad` counts sides from the last axis backwards: left, right, top, bottom."""
    assert isinstance(padding, tuple)
    (top, bottom), (left, right) = padding
    sides = ", ".join(map(number, _unnamed((left, right, top, bottom))))
    return call(f"{functions}.pad", x, f"({sides})", value=unless("0", fill, fill))


def recurrent_layer(leaf: Leaf, layer: R.Recurrent) -> str:
    """The fused layer; with one bias, wrapped in the function that keeps the other at zero."""
    if isinstance(layer, R.GRU) and not layer.reset_after:
        raise Unsupported(
            f"{leaf.name}: nn.GRU applies the reset gate after the product with the state"
        )
    made = call(
        RECURRENT[layer.kind],
        number(leaf.inputs[-1]),
        number(layer.units),
        batch_first="True",
        bidirectional=unless(False, layer.bidirectional, "True"),
    )
    return f"one_bias({made})" if layer.biases == 1 else made


def last_state(leaf: Leaf, x: str, variable: str, cat: str) -> Unpacked | None:
    """A recurrent layer's results taken apart, and the one that is meant."""
    layer = leaf.layer
    if not isinstance(layer, R.Recurrent):
        return None
    if layer.sequence:
        return [f"{variable}, _ = self.{leaf.name}({x})"], variable
    results = "_, (h, _)" if isinstance(layer, R.LSTM) else "_, h"
    if layer.bidirectional:
        note, last = "each direction's last state", cat.format("h[0], h[1]")
    else:
        note, last = "the state after the last step", "h[-1]"
    return [f"{results} = self.{leaf.name}({x})  # h: {note}"], last


def optimiser(chosen: SGD | Momentum | Adam, library: str) -> str:
    """The optimiser's construction, saying only what differs from the defaults."""
    weights, rate = "net.parameters()", number(chosen.rate)
    match chosen:
        case SGD():
            return call(f"{library}.optim.SGD", weights, lr=rate)
        case Momentum(_, momentum, nesterov):
            return call(
                f"{library}.optim.SGD",
                weights,
                lr=rate,
                momentum=number(momentum),
                nesterov=unless(False, nesterov, "True"),
            )
        case Adam(_, beta1, beta2, epsilon):
            return call(
                f"{library}.optim.Adam",
                weights,
                lr=rate,
                betas=unless((0.9, 0.999), (beta1, beta2), f"({number(beta1)}, {number(beta2)})"),
                eps=unless(1e-8, epsilon, number(epsilon)),
            )


def _pool(function: str, layer: Pool, x: str, fill: str, **more: str) -> str:
    padding = poolable(layer)
    if padding is None:
        x, padding = padded(x, layer.padding, fill), (0, 0)
    return call(
        function,
        x,
        size(_unnamed(layer.kernel)),
        stride=unless(layer.kernel, layer.stride, size(_unnamed(layer.stride))),
        padding=unless((0, 0), padding, size(_unnamed(padding))),
        **more,
    )


def _unnamed(numbers: object) -> tuple[int, ...]:
    """`forward` does not see a block's parameters, so its numbers stand for themselves."""
    assert isinstance(numbers, tuple)
    return tuple(plain(n) for n in numbers)
