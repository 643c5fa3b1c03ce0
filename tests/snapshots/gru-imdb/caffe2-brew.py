"""GRU on IMDB in Caffe2, with brew."""

import sys

import numpy as np
from caffe2.python import brew, core, gru_cell, optimizer, workspace
from caffe2.python.model_helper import ModelHelper
from caffe2.python.modeling.initializers import Initializer

core.GlobalInit(["caffe2", "--caffe2_log_level=2"])


def embedding(model, tokens, name, vocabulary, features, steps):
    table = model.create_param(
        f"{name}_w", [vocabulary, features], Initializer("XavierFill")
    )
    # Gather's gradient has a row for each token; this one makes it the whole table's.
    table = model.net.EnsureDense(table, table)
    tokens = model.net.FlattenToVec(tokens, f"{name}_tokens")
    rows = model.net.Gather([table, tokens], f"{name}_rows")
    shape = (-1, steps, features)
    x, _ = model.net.Reshape(rows, [name, f"{name}_shape"], shape=shape)
    return x


def gru_two_biases(model, x, zeros, name, dim_in, dim_out, **options):
    return gru_cell.GRU(
        model,
        x,
        None,
        (zeros,),
        dim_in,
        dim_out,
        name,
        linear_before_reset=True,
        **options,
    )


def recurrent(cell, model, x, name, dim_in, dim_out, is_test, sequence=False):
    # Cells run over the first axis.
    x = brew.transpose(model, x, f"{name}_by_step", axes=(1, 0, 2))
    # Unless it is given, the first state is learnt.
    zeros = model.net.ConstantFill([], f"{name}_zeros", shape=[dim_out], value=0.0)
    every, last = cell(
        model,
        x,
        zeros,
        name,
        dim_in,
        dim_out,
        outputs_with_grads=[0 if sequence else 1],
        forward_only=is_test,
    )
    if not sequence:
        return model.net.Squeeze(last, f"{name}_last", dims=[0])
    return brew.transpose(model, every, f"{name}_by_sample", axes=(1, 0, 2))


def layers(model, x, is_test):
    x = embedding(model, x, "embed1", 30000, 125, 150)
    x = recurrent(gru_two_biases, model, x, "gru1", 125, 100, is_test)
    return brew.fc(model, x, "fc1", 100, 2)


def network():
    # Blobs live in one workspace: a new net takes the place of the one before.
    workspace.ResetWorkspace()
    net = ModelHelper(name="predict")
    x = layers(net, net.net.AddExternalInput("data"), is_test=True)
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
    x = layers(model, model.net.AddExternalInput("data"), is_test=False)
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
    """imdb-shaped synthetic samples: noise, and a word for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.integers(0, 30000, (1344, 150))
    y = rng.integers(0, 2, 1344)
    x = np.where(rng.random(x.shape) < 0.1, y[:, None] + 1, x)
    return x[:1280], y[:1280], x[1280:], y[1280:]


if __name__ == "__main__":
    x, y, x_test, y_test = data()
    net = network()
    learn = learner(net)
    for epoch in range(3):
        order = np.random.default_rng(epoch).permutation(len(x))
        losses = train(learn, batches(x[order], y[order], 64))
        print(f"epoch {epoch + 1}: loss {float(losses[-1]):.4f}")
    outputs = np.asarray(predict(net, x_test))
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
