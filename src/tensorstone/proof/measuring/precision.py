"""Numbers of few bits: bfloat16, float16, TF32, and float32 where float64 is meant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tensorstone.models import layers as L
from tensorstone.proof.measuring.axes import others
from tensorstone.proof.measuring.evidence import LayerEvidence
from tensorstone.proof.measuring.guesses import Guess
from tensorstone.proof.measuring.sentence import Sentence

_LEAST = 16  # different numbers that show how many bits they have
_NOISE = 256  # numbers that show that errors are noise
_LUCK = 4.0  # how far noise may be from what is expected of it


@dataclass(frozen=True)
class NumberFormat:
    """`bits` counts the leading one; rounding errs by 2^-(bits + 1) or so, relatively."""

    name: str
    bits: int

    @property
    def typical(self) -> str:
        return f"relative errors of 2^−{self.bits + 1}"


BFLOAT16 = NumberFormat("bfloat16", 8)
FLOAT16 = NumberFormat("float16", 11)
TF32 = NumberFormat("TF32", 11)
FLOAT32 = NumberFormat("float32", 24)


def to_bits(values: np.ndarray, bits: int) -> np.ndarray:
    """The nearest numbers of so many significant bits; of two as near, the even one."""
    mantissa, exponent = np.frexp(values)
    found: np.ndarray = np.ldexp(np.round(np.ldexp(mantissa, bits)), exponent - bits)
    return found


def cut_to_bits(values: np.ndarray, bits: int) -> np.ndarray:
    """The nearest numbers towards zero."""
    mantissa, exponent = np.frexp(values)
    found: np.ndarray = np.ldexp(np.trunc(np.ldexp(mantissa, bits)), exponent - bits)
    return found


def describe_precision(
    observed: np.ndarray, expected: np.ndarray, tolerance: float
) -> Sentence | None:
    """Whether the numbers are of a coarser format, or their errors like those of one."""
    if observed.shape != expected.shape or not np.isfinite(observed).all():
        return None
    return _of_format(observed, expected, tolerance) or _noise(observed, expected)


def _of_format(observed: np.ndarray, expected: np.ndarray, tolerance: float) -> Sentence | None:
    """Every number is one of the format, where the right ones are not, and near those."""
    numbers = np.unique(np.abs(observed[observed != 0]))
    size = float(np.abs(expected).max(initial=0.0))
    if len(numbers) < _LEAST or not size:
        return None
    for form in (BFLOAT16, FLOAT16, FLOAT32):
        unit = 2.0**-form.bits
        if unit < 4 * tolerance or _share(numbers, form.bits - 1) > 0.9:
            continue
        if _share(numbers, form.bits) < 1 or _share(expected[expected != 0], form.bits) > 0.1:
            continue
        gap = np.abs(observed - expected)
        if (gap <= 1.01 * unit * np.abs(expected) + 1e-2 * unit * size).all():
            says = f"gives its results rounded to {form.name} ({form.typical})"
            return Sentence(says, float(gap.max()) / size)
        if gap.max() <= 8 * unit * size:
            says = f"computes in {form.name}: all its results are {form.name} numbers"
            return Sentence(f"{says} ({form.typical})", float(gap.max()) / size)
    return None


def _share(numbers: np.ndarray, bits: int) -> float:
    return float((to_bits(numbers, bits) == numbers).mean())


def _noise(observed: np.ndarray, expected: np.ndarray) -> Sentence | None:
    """Errors without any order, of the size that a format's rounding has."""
    errors = observed - expected
    size = float(np.sqrt((expected**2).mean()))
    spread = float(np.sqrt((errors**2).mean()))
    if errors.size < _NOISE or not size or not _without_order(errors, expected, spread):
        return None
    coarse = -np.log2(spread / size) if spread else np.inf
    for form, most, least in (("bfloat16", 7.5, 10.4), ("TF32 or float16", 10.6, 13.4)):
        if most <= coarse <= least:
            bits = round(float(coarse))
            says = f"has errors without a pattern, as large as those of {form}"
            says += f" (relative errors of 2^−{bits})"
            return Sentence(says, spread / size)
    return None


def _without_order(errors: np.ndarray, expected: np.ndarray, spread: float) -> bool:
    """Nearly every number is off, either way as often, in no place more than in another, and no
    error is far out."""
    if (errors != 0).mean() < 0.9 or np.abs(errors).max() > 8 * spread:
        return False
    luck = _LUCK / np.sqrt(errors.size)
    if abs(float(errors.mean())) > luck * spread:
        return False
    centred = expected - expected.mean()
    if abs(float((errors * centred).mean())) > luck * spread * float(centred.std()):
        return False
    for axis in range(errors.ndim):
        count = errors.shape[axis]
        if count < 2 or errors.size // count < 8:
            continue
        rest = others(errors.ndim, axis)
        means, sizes = errors.mean(axis=rest), (errors**2).mean(axis=rest)
        each = errors.size // count
        if np.abs(means).max() > (1 + _LUCK) * spread / np.sqrt(each):
            return False
        if sizes.max() > 50 * max(float(sizes.min()), 1e-300):
            return False
    return True


def operand_guesses(evidence: LayerEvidence) -> Iterator[Guess]:
    """Guesses that a layer multiplies numbers of few bits, and adds the products exactly."""
    if not isinstance(evidence.node.layer, L.Dense | L.Conv2D):
        return
    for form, said in ((BFLOAT16, "bfloat16"), (TF32, "TF32 or float16"), (FLOAT32, "float32")):
        if 2.0**-form.bits < evidence.tolerance:
            continue
        for how, change in (("rounded", to_bits), ("cut", cut_to_bits)):
            for what, inputs, weights in _OPERANDS:
                says = f"multiplies {what} {how} to {said} ({form.typical})"
                yield Guess(says, _operands(change, form.bits, inputs, weights))


_OPERANDS = (
    ("inputs and weights", True, True),
    ("inputs", True, False),
    ("weights", False, True),
)


def _operands(
    change: Callable[[np.ndarray, int], np.ndarray], bits: int, inputs: bool, weights: bool
) -> Callable[[LayerEvidence], np.ndarray]:
    def compute(e: LayerEvidence) -> np.ndarray:
        x = change(e.x, bits) if inputs else e.x
        w = change(e.weights["weight"], bits) if weights else e.weights["weight"]
        return e.computed(x, weights={"weight": w})

    return compute
