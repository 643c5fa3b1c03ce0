"""The data sets, one small file each: what it is, its checksum, where it can be had."""

from __future__ import annotations

from tensorstone.data import messages
from tensorstone.data.sets.beijing_pm25 import BEIJING_PM25
from tensorstone.data.sets.cifar10 import CIFAR10
from tensorstone.data.sets.dataset import DataSet
from tensorstone.data.sets.fashion_mnist import FASHION_MNIST
from tensorstone.data.sets.imdb import IMDB
from tensorstone.data.sets.mnist import MNIST
from tensorstone.support.errors import StoneError
from tensorstone.support.naming import did_you_mean, same_name

SETS: dict[str, DataSet] = {
    found.name: found for found in (MNIST, FASHION_MNIST, CIFAR10, IMDB, BEIJING_PM25)
}


def find(name: str) -> DataSet:
    """The set of this name."""
    known = same_name(name, SETS)
    if known is None:
        raise StoneError(*messages.no_such_set(name, did_you_mean(name, [*SETS])))
    return SETS[known]
