"""Its losses are the sums of what it is fed, its predictions how often it was trained."""


def network():
    return {"steps": 0}


def learner(net):
    return net


def batches(x, y, batch_size):
    return [x[i : i + batch_size] for i in range(0, len(x) - batch_size + 1, batch_size)]


def train(learner, batches):
    learner["steps"] += len(batches)
    return [float(batch.sum()) for batch in batches]


def predict(net, x):
    return x[:, :1] * 0 + net["steps"]
