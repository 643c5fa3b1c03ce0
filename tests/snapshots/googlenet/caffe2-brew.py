"""GoogLeNet on random images in Caffe2, with brew."""

import sys

import numpy as np
from caffe2.python import brew, core, optimizer, workspace
from caffe2.python.model_helper import ModelHelper

core.GlobalInit(["caffe2", "--caffe2_log_level=2"])


def inception(model, x, name, in_channels, c1, r3, c3, r5, c5, pooled):
    with core.NameScope(name):
        branch1 = brew.conv(model, x, "conv1", in_channels, c1, kernel=1)
        branch1 = brew.relu(model, branch1, branch1)
        branch2 = brew.conv(model, x, "conv2", in_channels, r3, kernel=1)
        branch2 = brew.relu(model, branch2, branch2)
        branch2 = brew.conv(model, branch2, "conv3", r3, c3, kernel=3, pad=1)
        branch2 = brew.relu(model, branch2, branch2)
        branch3 = brew.conv(model, x, "conv4", in_channels, r5, kernel=1)
        branch3 = brew.relu(model, branch3, branch3)
        branch3 = brew.conv(model, branch3, "conv5", r5, c5, kernel=5, pad=2)
        branch3 = brew.relu(model, branch3, branch3)
        branch4 = brew.max_pool(model, x, "pool1", kernel=3, pad=1)
        branch4 = brew.conv(model, branch4, "conv6", in_channels, pooled, kernel=1)
        branch4 = brew.relu(model, branch4, branch4)
        return brew.concat(
            model, [branch1, branch2, branch3, branch4], "concat1", axis=1
        )


def layers(model, x):
    x = brew.conv(model, x, "conv1", 3, 64, kernel=7, stride=2, pad=3)
    x = brew.relu(model, x, x)
    x = brew.max_pool(model, x, "pool1", kernel=3, stride=2)
    x = brew.conv(model, x, "conv2", 64, 64, kernel=1)
    x = brew.relu(model, x, x)
    x = brew.conv(model, x, "conv3", 64, 192, kernel=3, pad=1)
    x = brew.relu(model, x, x)
    x = brew.max_pool(model, x, "pool2", kernel=3, stride=2)
    x = inception(model, x, "inception3a", 192, 64, 96, 128, 16, 32, 32)
    x = inception(model, x, "inception3b", 256, 128, 128, 192, 32, 96, 64)
    x = brew.max_pool(model, x, "pool3", kernel=3, stride=2)
    x = inception(model, x, "inception4a", 480, 192, 96, 208, 16, 48, 64)
    x = inception(model, x, "inception4b", 512, 160, 112, 224, 24, 64, 64)
    x = inception(model, x, "inception4c", 512, 128, 128, 256, 24, 64, 64)
    x = inception(model, x, "inception4d", 512, 112, 144, 288, 32, 64, 64)
    x = inception(model, x, "inception4e", 528, 256, 160, 320, 32, 128, 128)
    x = brew.max_pool(model, x, "pool4", kernel=3, stride=2)
    x = inception(model, x, "inception5a", 832, 256, 160, 320, 32, 128, 128)
    x = inception(model, x, "inception5b", 832, 384, 192, 384, 48, 128, 128)
    x = brew.average_pool(model, x, "pool5", kernel=2, stride=2)
    # FC flattens what it reads.
    return brew.fc(model, x, "fc1", 9216, 1000)


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


def learner(net):
    # A second net of the same layers, with the first one's parameters.
    model = ModelHelper(name="train", param_model=net)
    x = layers(model, model.net.AddExternalInput("data"))
    _, loss = model.net.SoftmaxWithLoss([x, "label"], ["softmax", "loss"])
    model.AddGradientOperators([loss])
    # For the optimiser's own state: the net's would start its parameters anew.
    model.param_init_net = core.Net("optimizer_init")
    optimizer.build_sgd(model, base_learning_rate=0.01)
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
    """random-images-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(-1.0, 1.0, (384, 3, 224, 224)).astype("float32")
    y = rng.integers(0, 10, 384)
    # The first samples serve as patterns.
    x = (x + x[:10][y]) / 2
    return x[:256], y[:256], x[256:], y[256:]


if __name__ == "__main__":
    x, y, x_test, y_test = data()
    net = network()
    learn = learner(net)
    for epoch in range(1):
        order = np.random.default_rng(epoch).permutation(len(x))
        losses = train(learn, batches(x[order], y[order], 128))
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = np.asarray(predict(net, x_test))
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
