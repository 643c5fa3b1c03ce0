"""Tables of tokens: factors, offsets, rows that rest, and rows that are changed."""

from __future__ import annotations

from benchmarks.deviations.deviation import Deviation, Edit, deviation, swap
from benchmarks.deviations.nets import BIDIRECTIONAL, TEXTS_ONE_BIAS

EMBED, LOOKUP = "nn.Embedding(30, 6)", "self.embed1(x)"


def table(argument: str) -> Edit:
    return swap(EMBED, f"nn.Embedding(30, 6, {argument})")


def lookup(new: str) -> Edit:
    return swap(LOOKUP, new)


DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "embedding-scaled",
        BIDIRECTIONAL,
        "the embedding is multiplied by √6, as a transformer's is",
        where="embed",
        says=(r"2\.4|√6|sqrt|√|scal|factor|times|multipl",),
        torch=lookup("self.embed1(x) * 6**0.5"),
        keras=swap(
            "layers.Embedding(30, 6),",
            "layers.Embedding(30, 6),\n            layers.Rescaling(6**0.5),",
        ),
        flax=lookup("self.embed1(x) * 6**0.5"),
        gluon=lookup("self.embed1(x) * 6**0.5"),
    ),
    deviation(
        "padding-row-frozen",
        BIDIRECTIONAL,
        "the embedding's row 0 gets no gradient, as a padding's",
        where="embed",
        says=(
            "row|token|padding",
            r"\b0\b|\bzero\b|first|one of",
            "froz|not trained|never|stay|no gradient|unchanged|not move|gradient",
        ),
        torch=table("padding_idx=0"),
    ),
    deviation(
        "rows-frozen",
        BIDIRECTIONAL,
        "the embedding's last twenty rows rest: words of a pretrained table",
        where="embed",
        says=(
            "row|token|part|some",
            "froz|not trained|never|stay|no gradient|unchanged|not move|gradient",
        ),
        blind=True,
        torch=swap(
            "def learner(net):\n",
            "def learner(net):\n    known = (torch.arange(30) < 10)[:, None]\n"
            "    net.embed1.weight.register_hook(lambda g: g * known)\n",
        ),
    ),
    deviation(
        "embedding-frozen",
        TEXTS_ONE_BIAS,
        "the embedding is not trained",
        where="embed",
        says=("froz|not trained|never|stay|no gradient|unchanged|not move|constant",),
        torch=swap(EMBED, f"{EMBED}.requires_grad_(False)"),
        keras=swap("layers.Embedding(30, 6)", "layers.Embedding(30, 6, trainable=False)"),
        flax=lookup("jax.lax.stop_gradient(self.embed1(x))")
        + swap("import optax", "import jax\nimport optax"),
        gluon=lookup("self.embed1(x).detach()"),
    ),
    deviation(
        "token-zero-masked",
        BIDIRECTIONAL,
        "what is read for token 0 is multiplied by zero",
        where="embed",
        says=("mask|zero|token|padding|row",),
        blind=True,
        torch=lookup("self.embed1(x) * (x != 0)[..., None]"),
        flax=lookup("self.embed1(x) * (x != 0)[..., None]"),
    ),
    deviation(
        "tokens-masked",
        TEXTS_ONE_BIAS,
        "the recurrent layers skip token 0: Keras's mask_zero",
        where="lstm|embed|token|mask",
        says=("mask|skip|token 0|padding",),
        blind=True,
        keras=swap("layers.Embedding(30, 6)", "layers.Embedding(30, 6, mask_zero=True)"),
    ),
    deviation(
        "tokens-offset",
        BIDIRECTIONAL,
        "every token is read from the next row: an index that begins at 1",
        where="embed",
        says=("row|token|index|shift", "shift|next|offset|one|1|other|another"),
        blind=True,
        torch=lookup("self.embed1((x + 1) % 30)"),
        flax=lookup("self.embed1((x + 1) % 30)"),
        gluon=lookup("self.embed1((x + 1) % 30)"),
    ),
    deviation(
        "vocabulary-cut",
        BIDIRECTIONAL,
        "tokens of 20 and more are read as 20: a smaller vocabulary",
        where="embed",
        says=("20|vocabular|clip|rare|limit|above|row|token",),
        blind=True,
        torch=lookup("self.embed1(x.clamp(max=20))"),
        flax=lookup("self.embed1(x.clip(0, 20))"),
    ),
    deviation(
        "embedding-max-norm",
        BIDIRECTIONAL,
        "rows of the embedding are shortened to a length of 1 when they are read",
        where="embed",
        says=("norm|length|renorm|clip|short|limit|scal",),
        blind=True,
        torch=table("max_norm=1.0"),
    ),
    deviation(
        "gradient-by-frequency",
        BIDIRECTIONAL,
        "a token's gradient is divided by how often it is in the batch",
        where="embed",
        says=("frequen|often|count|divid|mean|averag|repeat",),
        blind=True,
        torch=table("scale_grad_by_freq=True"),
    ),
)
