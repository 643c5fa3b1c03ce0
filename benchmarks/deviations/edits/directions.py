"""Bidirectional layers whose directions are read, joined or chosen otherwise."""

from __future__ import annotations

from benchmarks.deviations.deviation import Deviation, Edit, deviation, swap
from benchmarks.deviations.nets import BIDIRECTIONAL

FIRST, JOINED = "x, _ = self.gru1(x)", "torch.cat([h[0], h[1]], dim=1)"
LAST = f"_, h = self.gru2(x)  # h: each direction's last state\n        x = {JOINED}"
BACK_LAST = "layers.Bidirectional(layers.GRU(4))"
FLAX_LAST = "jnp.concatenate([ahead, back], axis=-1)"
GLUON_LAST = "mx.nd.concat(x[:, -1, :4], x[:, 0, 4:])"


def after_first(new: str) -> Edit:
    """Something done to the first layer's output, `x` of six steps and five features a direction."""
    return swap(FIRST, f"{FIRST}\n        x = {new}")


DEVIATIONS: tuple[Deviation, ...] = (
    deviation(
        "directions-exchanged",
        BIDIRECTIONAL,
        "the second layer's directions are concatenated backwards first",
        where="gru2|direction|concat",
        says=("direction|backward", "order|exchang|swapp|first|concat|other"),
        torch=swap(JOINED, "torch.cat([h[1], h[0]], dim=1)"),
        flax=swap(FLAX_LAST, "jnp.concatenate([back, ahead], axis=-1)"),
        gluon=swap(GLUON_LAST, "mx.nd.concat(x[:, 0, 4:], x[:, -1, :4])"),
    ),
    deviation(
        "directions-exchanged-between",
        BIDIRECTIONAL,
        "the first layer's directions are concatenated backwards first",
        where="gru1|direction|concat",
        says=("direction|backward", "order|exchang|swapp|first|concat|other"),
        blind=True,
        torch=after_first("torch.cat([x[..., 5:], x[..., :5]], dim=-1)"),
        flax=swap("x = self.gru1(x)", "x = jnp.roll(self.gru1(x), 5, -1)"),
        gluon=swap(
            "x = self.gru1(x)",
            "x = self.gru1(x)\n        x = mx.nd.concat(x[:, :, 5:], x[:, :, :5], dim=2)",
        ),
    ),
    deviation(
        "directions-added",
        BIDIRECTIONAL,
        "the second layer's directions are averaged, and given twice",
        where="gru2|direction",
        says=("sum|add|mean|averag",),
        torch=swap(JOINED, "(h[0] + h[1]).repeat(1, 2) / 2"),
        flax=swap(FLAX_LAST, "jnp.tile((ahead + back) / 2, 2)"),
    ),
    deviation(
        "backwards-at-the-end",
        BIDIRECTIONAL,
        "the last time step of both directions: backwards has read one token only",
        where="gru2|direction|step",
        says=("backward|direction|step|last",),
        blind=True,
        torch=swap(LAST, "x, _ = self.gru2(x)\n        x = x[:, -1]"),
        gluon=swap(GLUON_LAST, "x[:, -1]"),
        keras=swap(
            BACK_LAST,
            "layers.Bidirectional(layers.GRU(4, return_sequences=True)),\n"
            "            layers.Lambda(lambda v: v[:, -1])",
        ),
        flax=swap("(ahead, back), _ = self.gru2(x, return_carry=True)", "y = self.gru2(x)[:, -1]")
        + swap(FLAX_LAST, "y"),
    ),
    deviation(
        "backwards-left-reversed",
        BIDIRECTIONAL,
        "the first layer's backward outputs are left in the order they were made",
        where="gru1|direction|backward",
        says=("revers|order|time|flip",),
        blind=True,
        torch=after_first("torch.cat([x[..., :5], x[..., 5:].flip(1)], dim=-1)"),
        gluon=swap(
            "x = self.gru1(x)",
            "x = self.gru1(x)\n        x = mx.nd.concat(x[:, :, :5], x[:, :, 5:].flip(1), dim=2)",
        ),
    ),
    deviation(
        "backwards-reads-forwards",
        BIDIRECTIONAL,
        "the first layer's backward direction reads forwards",
        where="gru1|direction|backward",
        says=("forward|backward|revers|direction|time|order",),
        blind=True,
        torch=after_first(
            "torch.cat([x[..., :5], self.gru1(self.read.flip(1))[0][..., 5:].flip(1)], dim=-1)"
        )
        + swap("x = self.embed1(x)", "x = self.read = self.embed1(x)"),
    ),
    deviation(
        "weights-of-one-direction",
        BIDIRECTIONAL,
        "the second layer reads backwards with the weights that read forwards",
        where="gru2|direction|backward",
        says=("shar|same weights|weights of|forward|tied|backward|not used|unused",),
        blind=True,
        torch=swap(
            "_, h = self.gru2(x)  # h: each direction's last state",
            "_, h = self.gru2(x)\n        _, back = self.gru2(x.flip(1))\n        h = h[0], back[0]",
        ),
    ),
    deviation(
        "time-reversed-between",
        BIDIRECTIONAL,
        "the second layer reads the first one's outputs in reverse",
        where="gru1|gru2|direction|time",
        says=("revers|order|time|flip|backward|direction",),
        blind=True,
        torch=after_first("x.flip(1)"),
        keras=swap(BACK_LAST, f"layers.Lambda(lambda v: v[:, ::-1]),\n            {BACK_LAST}"),
        flax=swap("x = self.gru1(x)", "x = self.gru1(x)[:, ::-1]"),
    ),
)
