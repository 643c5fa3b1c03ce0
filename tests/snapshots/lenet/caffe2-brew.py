"""LeNet on MNIST in Caffe2, with brew."""

import sys

import numpy as np
from caffe2.python import brew, core, optimizer, workspace
from caffe2.python.model_helper import ModelHelper

core.GlobalInit(["caffe2", "--caffe2_log_level=2"])


def layers(model, x):
    x = brew.conv(model, x, "conv1", 1, 6, kernel=5)
    x = brew.relu(model, x, x)
    x = brew.average_pool(model, x, "pool1", kernel=2, stride=2)
    x = brew.conv(model, x, "conv2", 6, 16, kernel=3)
    x = brew.relu(model, x, x)
    x = brew.average_pool(model, x, "pool2", kernel=2, stride=2)
    # FC flattens what it reads.
    x = brew.fc(model, x, "fc1", 400, 120)
    x = brew.relu(model, x, x)
    x = brew.fc(model, x, "fc2", 120, 84)
    x = brew.relu(model, x, x)
    return brew.fc(model, x, "fc3", 84, 10)


def network():
    # Blobs live in one workspace: a new net takes the place of the one before.
    workspace.ResetWorkspace()
    net = ModelHelper(name="predict")
    x = layers(net, net.net.AddExternalInput("data"))
    net.net.AddExternalOutput(x)
    workspace.RunNetOnce(net.param_init_net)
    workspace.CreateBlob("data")
    workspace.CreateNet(net.net)
    return net


class Adam(optimizer.AdamOptimizer):
    """Counts steps from 1 in Adam's bias correction; Caffe2's own counts from 2."""

    def build_lr(self, net, param_init_net, **options):
        lr, step = super().build_lr(net, param_init_net, **options)
        one = param_init_net.ConstantFill(
            [], "one_step", shape=[1], value=1, dtype=core.DataType.INT64
        )
        return lr, net.Sub([step, one], "steps_before")


def learner(net):
    # A second net of the same layers, with the first one's parameters.
    model = ModelHelper(name="train", param_model=net)
    x = layers(model, model.net.AddExternalInput("data"))
    _, loss = model.net.SoftmaxWithLoss([x, "label"], ["softmax", "loss"])
    model.AddGradientOperators([loss])
    # For the optimiser's own state: the net's would start its parameters anew.
    model.param_init_net = core.Net("optimizer_init")
    adam = Adam(alpha=1e-3)
    for parameter in model.GetOptimizationParamInfo():
        adam(model.net, model.param_init_net, parameter)
    workspace.RunNetOnce(model.param_init_net)
    workspace.CreateBlob("label")
    workspace.CreateNet(model.net)
    return model


def batches(x, y, batch_size):
    y = y.astype("int32")
    for i in range(0, len(x) - batch_size + 1, batch_size):
        yield x[i : i + batch_size], y[i : i + batch_size]


def train(learner, batches):
    losses = []
    for x, y in batches:
        workspace.FeedBlob("data", x)
        workspace.FeedBlob("label", y)
        workspace.RunNet(learner.net)
        losses.append(workspace.FetchBlob("loss"))
    return losses


def predict(net, x):
    workspace.FeedBlob("data", x)
    workspace.RunNet(net.net)
    return workspace.FetchBlob(net.net.external_outputs[-1])


def save(net, path):
    blobs = net.GetAllParams()
    workspace.RunOperatorOnce(
        core.CreateOperator(
            "Save", blobs, [], db=path, db_type="minidb", absolute_path=True
        )
    )


def load(path):
    net = network()
    blobs = net.GetAllParams()
    workspace.RunOperatorOnce(
        core.CreateOperator(
            "Load", [], blobs, db=path, db_type="minidb", absolute_path=True
        )
    )
    return net


def data():
    """mnist-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 255.0, (4200, 1, 28, 28)).astype("float32")
    y = rng.integers(0, 10, 4200)
    # The first samples serve as patterns.
    x = (x + x[:10][y]) / 2
    return x[:4000], y[:4000], x[4000:], y[4000:]


if __name__ == "__main__":
    x, y, x_test, y_test = data()
    net = network()
    learn = learner(net)
    for epoch in range(15):
        order = np.random.default_rng(epoch).permutation(len(x))
        losses = train(learn, batches(x[order], y[order], 200))
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = np.asarray(predict(net, x_test))
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
