"""Functions of one number that programs compute: those without constants, and families with."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tensorstone.oracle.nonlinearities import sigmoid, softplus

Curve = Callable[..., np.ndarray]  # of x and the constants
_SELU = (1.0507009873554805, 1.6732632423543772)
_ROOT = math.sqrt(2 / math.pi)


@dataclass(frozen=True)
class Formula:
    """`says` has a place for each constant; `starts` are where fitting them begins."""

    says: str
    curve: Curve
    starts: tuple[tuple[float, ...], ...] = ()


def elu(x: np.ndarray, alpha: float) -> np.ndarray:
    y: np.ndarray = np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))
    return y


def celu(x: np.ndarray, alpha: float) -> np.ndarray:
    y: np.ndarray = np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / alpha))
    return y


def gelu(x: np.ndarray) -> np.ndarray:
    from scipy.special import erf  # slow to import

    y: np.ndarray = x * (1 + erf(x * math.sqrt(0.5))) / 2
    return y


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    y: np.ndarray = 0.5 * x * (1 + np.tanh(_ROOT * (x + 0.044715 * x**3)))
    return y


def hard_sigmoid(x: np.ndarray, slope: float) -> np.ndarray:
    return np.clip(slope * x + 0.5, 0, 1)


def _leaky(x: np.ndarray, slope: float) -> np.ndarray:
    return np.where(x > 0, x, slope * x)


def _soft_shrink(x: np.ndarray, width: float) -> np.ndarray:
    y: np.ndarray = np.sign(x) * np.maximum(np.abs(x) - width, 0)
    return y


PLAIN = (
    Formula("x", lambda x: x),
    Formula("max(x, 0), a ReLU", lambda x: np.maximum(x, 0)),
    Formula("−x", lambda x: -x),
    Formula("|x|", np.abs),
    Formula("x²", np.square),
    Formula("max(x, 0)²", lambda x: np.square(np.maximum(x, 0))),
    Formula("min(x, 0)", lambda x: np.minimum(x, 0)),
    Formula("sign(x)", np.sign),
    Formula("1 where x is positive, 0 elsewhere", lambda x: (x > 0).astype(np.float64)),
    Formula("x rounded to whole numbers", np.round),
    Formula("min(max(x, 0), 6)", lambda x: np.clip(x, 0, 6)),
    Formula("clip(x, −1, 1)", lambda x: np.clip(x, -1, 1)),
    Formula("clip(x, 0, 1)", lambda x: np.clip(x, 0, 1)),
    Formula("1/(1 + e⁻ˣ), a sigmoid", sigmoid),
    Formula("tanh(x)", np.tanh),
    Formula("log(1/(1 + e⁻ˣ)), a log-sigmoid", lambda x: -softplus(-x)),
    Formula("log(1 + eˣ), a softplus", softplus),
    Formula("x/(1 + |x|), a softsign", lambda x: x / (1 + np.abs(x))),
    Formula("x/(1 + e⁻ˣ), SiLU (Swish)", lambda x: x * sigmoid(x)),
    Formula("GELU with the exact normal distribution", gelu),
    Formula("GELU's tanh approximation", gelu_tanh),
    Formula("x·sigmoid(1.702·x), the quick GELU", lambda x: x * sigmoid(1.702 * x)),
    Formula("a hard sigmoid, clip(x/6 + 1/2, 0, 1)", lambda x: hard_sigmoid(x, 1 / 6)),
    Formula("a hard sigmoid, clip(0.2·x + 0.5, 0, 1)", lambda x: hard_sigmoid(x, 0.2)),
    Formula("hard Swish, x·clip(x/6 + 1/2, 0, 1)", lambda x: x * hard_sigmoid(x, 1 / 6)),
    Formula("ELU with alpha 1", lambda x: elu(x, 1.0)),
    Formula("SELU", lambda x: _SELU[0] * elu(x, _SELU[1])),
    Formula("mish, x·tanh(log(1 + eˣ))", lambda x: x * np.tanh(softplus(x))),
    Formula("x − tanh(x)", lambda x: x - np.tanh(x)),
    Formula("sin(x)", np.sin),
    Formula("cos(x)", np.cos),
    Formula("arctan(x)", np.arctan),
    Formula("eˣ", np.exp),
    Formula("eˣ − 1", np.expm1),
    Formula("e^(−x²)", lambda x: np.exp(-np.square(x))),
    Formula("log(x)", np.log),
    Formula("log(1 + x)", np.log1p),
    Formula("√x", np.sqrt),
    Formula("√|x|", lambda x: np.sqrt(np.abs(x))),
    Formula("1/x", lambda x: 1 / x),
    Formula("x³", lambda x: x**3),
    Formula("1.7159·tanh(2x/3)", lambda x: 1.7159 * np.tanh(2 * x / 3)),
)

# Of two that are the same with some constants the first is said.
FAMILIES = (
    Formula("{0}·x", lambda x, c: c * x, ((1.0,),)),
    Formula("x + {0}", lambda x, c: x + c, ((0.1,),)),
    Formula("{0}·x + {1}", lambda x, c, d: c * x + d, ((1.0, 0.1),)),
    Formula("x where positive, {0}·x elsewhere, a leaky ReLU", _leaky, ((0.1,),)),
    Formula("ELU with alpha {0}", elu, ((0.5,),)),
    Formula("CELU with alpha {0}", celu, ((2.0,), (0.5,))),
    Formula("Swish with beta {0}, x·sigmoid({0}·x)", lambda x, b: x * sigmoid(b * x), ((1.5,),)),
    Formula(
        "softplus with beta {0}, log(1 + e^({0}·x))/{0}",
        lambda x, b: softplus(b * x) / b,
        ((2.0,), (0.5,)),
    ),
    Formula("a hard sigmoid, clip({0}·x + 0.5, 0, 1)", hard_sigmoid, ((0.2,), (0.5,))),
    Formula("x moved towards 0 by {0} (a soft shrink)", _soft_shrink, ((0.5,), (0.1,))),
    Formula("{0}·tanh({1}·x)", lambda x, c, b: c * np.tanh(b * x), ((1.1, 0.9),)),
    Formula("{0}·ELU with alpha {1}", lambda x, c, a: c * elu(x, a), ((1.1, 1.1),)),
)


def combinations(curve: Curve) -> tuple[Formula, ...]:
    """A function with constants around it, where it is the one that is meant."""
    return (
        Formula("{0}·f(x), f being what is meant", lambda x, c: c * curve(x), ((1.0,),)),
        Formula("f({0}·x), f being what is meant", lambda x, c: curve(c * x), ((0.9,), (1.5,))),
        Formula("f(x) + {0}, f being what is meant", lambda x, c: curve(x) + c, ((0.1,),)),
        Formula("f(x + {0}), f being what is meant", lambda x, c: curve(x + c), ((0.1,),)),
    )
