"""Its loss is soon no number."""


def network():
    return {"epochs": 0}


def learner(net):
    return net


def batches(x, y, batch_size):
    return range(len(x) // batch_size)


def train(learner, batches):
    learner["epochs"] += 1
    return [1.0 if learner["epochs"] < 2 else float("nan") for _ in batches]


def predict(net, x):
    return x[:, :1]
