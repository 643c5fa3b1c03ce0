"""Nothing at all, in the sections every program has: timing it measures the harness."""


def network():
    return {}


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    return [0.0 for _ in batches]


def predict(net, x):
    return x


def save(net, path):
    with open(path, "w"):
        pass


def load(path):
    return network()


if __name__ == "__main__":
    print("nothing was trained")
