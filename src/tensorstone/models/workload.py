"""A workload: a model, the data it reads, and the recipe it is trained by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tensorstone.models import checks, messages
from tensorstone.models.model import Model
from tensorstone.models.recipe import Recipe
from tensorstone.models.shapes import said
from tensorstone.support.errors import StoneError


@dataclass(frozen=True)
class Data:
    """Which data set, how much of it trains, and what its values look like.

    Timing uses seeded synthetic samples of this shape unless the real set is asked for.
    """

    name: str  # "mnist"
    samples: int
    # How synthetic inputs are drawn: a normal distribution, or evenly between `low` and `high`.
    # Tokens are whole numbers below the vocabulary, zeros on the right where a text is short.
    values: Literal["normal", "uniform", "tokens"] = "normal"
    low: float = 0.0
    high: float = 1.0
    vocabulary: int | None = None  # of a text: how many of its commonest words are told apart

    def __post_init__(self) -> None:
        checks.word("Data", "name", self.name)
        checks.whole("Data", "samples", self.samples, least=1)
        checks.choice("Data", "values", self.values, ("normal", "uniform", "tokens"))
        if self.vocabulary is not None:
            checks.whole("Data", "vocabulary", self.vocabulary, least=4)
        checks.number("Data", "low", self.low)
        checks.number("Data", "high", self.high)
        if self.low >= self.high:
            raise StoneError(*messages.low_not_below_high(self.low, self.high))


@dataclass(frozen=True)
class Init:
    """Initial weights, biases zero: `xavier` U(±√(6/(in+out))), `he` N(0, 2/in), or a constant."""

    kind: Literal["xavier", "he", "constant"] = "xavier"
    value: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        checks.choice("Init", "kind", self.kind, ("xavier", "he", "constant"))
        checks.number("Init", "value", self.value)
        checks.whole("Init", "seed", self.seed, least=0)


@dataclass(frozen=True)
class Workload:
    """What is written once and said in every dialect."""

    name: str  # "lenet"
    title: str  # "LeNet on MNIST"
    model: Model
    recipe: Recipe
    data: Data
    init: Init = field(default_factory=Init)
    parameters: int | None = None  # the published count; asserted
    source: str = ""  # where it was published, and what was left out there

    def __post_init__(self) -> None:
        checks.word("Workload", "name", self.name)
        checks.line(self.name, "title", self.title)
        checks.kind(self.name, "model", self.model, Model)
        checks.kind(self.name, "recipe", self.recipe, Recipe)
        checks.kind(self.name, "data", self.data, Data)
        checks.kind(self.name, "init", self.init, Init)
        if self.parameters is not None and self.model.parameters != self.parameters:
            counted = self.model.parameters
            raise StoneError(*messages.parameters_differ(self.name, counted, self.parameters))
        self._tokens()
        if self.classifies and len(self.model.outputs) != 1:
            raise StoneError(*messages.not_scores(self.name, said(self.model.outputs)))
        if self.data.samples < self.recipe.batch:
            sizes = self.data.samples, self.recipe.batch
            raise StoneError(*messages.batch_not_filled(self.name, *sizes))

    def _tokens(self) -> None:
        """Data and model agree on whether inputs are tokens, and on how many there are."""
        wanted = self.model.vocabulary
        given = self.data.vocabulary if self.data.values == "tokens" else None
        if wanted != given:
            raise StoneError(*messages.tokens_differ(self.name, wanted, given))

    @property
    def classifies(self) -> bool:
        """Whether labels are whole numbers naming a class."""
        return self.recipe.loss == "softmax-cross-entropy"
