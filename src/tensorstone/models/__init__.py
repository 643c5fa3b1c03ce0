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
    SiLU,
    Softmax,
    Softplus,
    Softsign,
    Tanh,
)
from tensorstone.models.model import Model
from tensorstone.models.recipe import SGD, Adam, Momentum, Recipe, RMSprop
from tensorstone.models.recurrent import (
    GRU,
    LSTM,
    Embedding,
    FirstLast,
    LastStep,
    SimpleRNN,
    TimeDistributed,
)
from tensorstone.models.structure import Add, Concat, Sequential, block
from tensorstone.models.workload import Data, Init, Workload

__all__ = [
    "GELU",
    "GRU",
    "LSTM",
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
    "Embedding",
    "FirstLast",
    "Flatten",
    "GlobalAvgPool2D",
    "Init",
    "LastStep",
    "LeakyReLU",
    "MaxPool2D",
    "Model",
    "Momentum",
    "RMSprop",
    "ReLU",
    "Recipe",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SimpleRNN",
    "Softmax",
    "Softplus",
    "Softsign",
    "Tanh",
    "TimeDistributed",
    "Workload",
    "block",
]
