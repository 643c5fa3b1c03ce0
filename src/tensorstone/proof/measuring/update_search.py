"""Which way of updating explains the steps that are not the model's, and no other does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from tensorstone.models.recipe import Optimiser
from tensorstone.proof.measuring import update_families, update_more, update_variants
from tensorstone.proof.measuring.groups import ArrayGroup, group
from tensorstone.proof.measuring.sentence import Sentence
from tensorstone.proof.measuring.update_evidence import UpdateEvidence
from tensorstone.proof.measuring.update_family import Family, Fitted, fitted
from tensorstone.proof.measuring.update_steps import Steps, steps
from tensorstone.proof.measuring.update_substitutes import substitutes

CLEAR = 10.0  # of what is allowed: what is nearer may be rounding
_CONSTANTS = 4.0  # frameworks keep constants in float32: how much of what that changes is allowed
_FITTED, _VERIFIED = 400, 2000  # numbers that are fitted to, of all arrays, and verified, of each
_FEWEST = 6  # of an array
_EQUATIONS = 4  # for each constant
_CLEARLY = 10.0  # times less error than another explanation leaves


@dataclass(frozen=True)
class UpdateCase:
    """The evidence, as few equations and as many, and what is right of it."""

    evidence: UpdateEvidence

    @cached_property
    def few(self) -> Steps:
        names = len(self.evidence.gradients[0])
        return steps(self.evidence, max(_FEWEST, _FITTED // names))

    @cached_property
    def many(self) -> Steps:
        return steps(self.evidence, _VERIFIED)

    @cached_property
    def model(self) -> Fitted:
        return _model(self.evidence.optimiser, self.evidence)

    @cached_property
    def rounded_model(self) -> Fitted:
        return _model(_rounded(self.evidence.optimiser), self.evidence)

    @cached_property
    def errors(self) -> dict[str, float]:
        """Each array's largest error under the model, of what is allowed."""
        gap = right_gap(self, self.many)
        return {
            name: float(gap[:, self.many.of == k].max(initial=0.0))
            for k, name in enumerate(self.many.names)
        }

    @property
    def wrong(self) -> tuple[str, ...]:
        return tuple(name for name, error in self.errors.items() if error > CLEAR)

    @property
    def unclear(self) -> tuple[str, ...]:
        return tuple(name for name, error in self.errors.items() if 1 < error <= CLEAR)

    @property
    def right(self) -> tuple[str, ...]:
        return tuple(name for name, error in self.errors.items() if error <= 1)


def _model(optimiser: Optimiser, evidence: UpdateEvidence) -> Fitted:
    family = update_families.own(optimiser, evidence.conventions).family
    return Fitted(family, family.constants, {}, 0.0)


def right_gap(case: UpdateCase, s: Steps) -> np.ndarray:
    """Every step's distance from the model's, of what is allowed, constants in float32 too."""
    own, other = case.model, case.rounded_model
    one, two = own.predicted(s), other.predicted(s)
    gap = np.abs(one - s.d) / (own.family.allowed(s) + _CONSTANTS * np.abs(one - two))
    found: np.ndarray = np.where(np.isfinite(gap), gap, np.inf)
    return found


def search(case: UpdateCase) -> Sentence | None:
    """From the simplest families to the richest: the first that explain, if they say one thing."""
    wrong = case.few.only(case.wrong)
    for stage in range(4):
        found = _distinct(_explaining(case, wrong, stage))
        if found:
            return _finding(case, found)
    return None


def _families(optimiser: Optimiser, conventions: frozenset[str], stage: int) -> Iterator[Family]:
    o = update_families.own(optimiser, conventions)
    if stage == 0:
        yield from update_families.unfitted(o)
        yield from update_variants.unfitted(o, conventions)
    elif stage == 1:
        yield from update_families.with_one(o)
        yield from update_variants.with_one(o)
    elif stage == 2:
        yield from update_families.with_all(o)
        yield from update_more.with_more(o)
    else:
        yield from substitutes(o)


def _explaining(case: UpdateCase, wrong: Steps, stage: int) -> Iterator[Fitted]:
    e = case.evidence
    kinds = [e.optimiser] if e.single else [e.optimiser, _rounded(e.optimiser)]
    every = case.many.only(case.wrong)
    for optimiser in kinds:
        found = []
        for family in _families(optimiser, e.conventions, stage):
            family = replace(family, meant=_meant(family, e.optimiser))
            one = _explains(case, family, wrong, every)
            if one:
                found.append(one)
        if found:
            yield from found
            return


def _meant(family: Family, optimiser: Optimiser) -> dict[str, float]:
    """The model's constants as they are written, not as they are rounded."""
    return {name: getattr(optimiser, name, value) for name, value in family.meant.items()}


def _explains(case: UpdateCase, family: Family, wrong: Steps, every: Steps) -> Fitted | None:
    if wrong.d.size < _EQUATIONS * max(1, len(family.free)):
        return None
    one = fitted(family, wrong)
    if one is None or not one.error <= 1.0 or one.words is None:
        return None
    if not float(one.gap(every).max(initial=0.0)) <= 1.0:
        return None
    for name in case.unclear:
        gap = float(one.gap(case.many.only([name])).max(initial=0.0))
        if not gap <= max(1.0, case.errors[name]):
            return None
    return one


def _distinct(found: Iterable[Fitted]) -> list[Fitted]:
    """Those that none explains clearly better than, each sentence once."""
    ordered = sorted(found, key=lambda one: one.error)
    if not ordered:
        return []
    most = _CLEARLY * max(ordered[0].error, 1e-3)
    kept: dict[str, Fitted] = {}
    for one in ordered:
        if one.error <= most:
            kept.setdefault(one.words or "", one)
    return list(kept.values())


def _finding(case: UpdateCase, found: list[Fitted]) -> Sentence:
    residual = found[0].error * case.evidence.tolerance
    where = _where(case, found[0])
    if len(found) > 1:
        said = "; or ".join(one.words or "" for one in found[:3])
        return scoped(f"either {said} (all explain every step)", None, where, residual)
    return scoped(found[0].words or "", found[0].family.name, where, residual)


def _where(case: UpdateCase, one: Fitted) -> ArrayGroup:
    """The wrong arrays, among those that the explanation would change."""
    silent = [
        name
        for name in (*case.right, *case.unclear)
        if float(one.gap(case.many.only([name])).max(initial=0.0)) <= 1.0
    ]
    return group(case.wrong, [name for name in case.few.names if name not in silent])


def scoped(says: str, name: str | None, where: ArrayGroup, residual: float) -> Sentence:
    if where.kind == "all":
        return Sentence(says, residual, name)
    if where.kind in ("array", "layer"):
        return Sentence(f"is updated otherwise than the rest: {says}", residual, name, where.place)
    return Sentence(f"{says}; only so in {where.of}", residual, name)


def _rounded(thing: Any) -> Any:
    """An optimiser with its constants in float32; what refuses one keeps its own."""
    settings = {
        one.name: float(np.float32(getattr(thing, one.name)))
        for one in fields(thing)
        if type(getattr(thing, one.name)) is float
    }
    try:
        return replace(thing, **settings)
    except (TypeError, ValueError):
        return thing
