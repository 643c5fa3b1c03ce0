"""Models, recipes and workloads: everything a workload file needs.

from tensorstone.models import *
"""

from tensorstone.models.layers import (
    GELU,
    AvgPool2D,
    BatchNorm,
    Conv2D,
    Dense,
    Dropout,
    Flatten,
    GlobalAvgPool2D,
    LeakyReLU,
    MaxPool2D,
    ReLU,
    Sigmoid,
    Softmax,
    Softplus,
    Softsign,
    Tanh,
)
from tensorstone.models.model import Model
from tensorstone.models.recipe import SGD, Adam, Momentum, Recipe, RMSprop
from tensorstone.models.structure import Add, Concat, Sequential, block
from tensorstone.models.workload import Data, Init, Workload

__all__ = [
    "GELU",
    "SGD",
    "Adam",
    "Add",
    "AvgPool2D",
    "BatchNorm",
    "Concat",
    "Conv2D",
    "Data",
    "Dense",
    "Dropout",
    "Flatten",
    "GlobalAvgPool2D",
    "Init",
    "LeakyReLU",
    "MaxPool2D",
    "Model",
    "Momentum",
    "RMSprop",
    "ReLU",
    "Recipe",
    "Sequential",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Softsign",
    "Tanh",
    "Workload",
    "block",
]
