"""The Rosetta Stone's CNN on CIFAR-10 in DyNet, in explicit minibatches."""

import sys

import dynet as dy
import numpy as np


def dropout(x, rate):
    return dy.dropout(x, rate) if dropout.training else x


class CNN:
    def __init__(self, pc):
        self.pc = pc
        self.conv1 = pc.add_parameters((3, 3, 3, 50)), pc.add_parameters(50)
        self.conv2 = pc.add_parameters((3, 3, 50, 50)), pc.add_parameters(50)
        self.conv3 = pc.add_parameters((3, 3, 50, 100)), pc.add_parameters(100)
        self.conv4 = pc.add_parameters((3, 3, 100, 100)), pc.add_parameters(100)
        self.fc1 = pc.add_parameters(512), pc.add_parameters((512, 6400))
        self.fc2 = pc.add_parameters(10), pc.add_parameters((10, 512))

    def __call__(self, x):
        x = dy.inputTensor(x.T, batched=True)  # column-major: x.T moves no value
        x = dy.rectify(dy.conv2d_bias(x, *self.conv1, [1, 1], is_valid=False))
        x = dropout(
            dy.rectify(
                dy.maxpooling2d(
                    dy.conv2d_bias(x, *self.conv2, [1, 1], is_valid=False),
                    [2, 2],
                    [2, 2],
                )
            ),
            0.25,
        )
        x = dy.rectify(dy.conv2d_bias(x, *self.conv3, [1, 1], is_valid=False))
        x = dropout(
            dy.rectify(
                dy.maxpooling2d(
                    dy.conv2d_bias(x, *self.conv4, [1, 1], is_valid=False),
                    [2, 2],
                    [2, 2],
                )
            ),
            0.25,
        )
        x = dy.reshape(x, (6400,))
        x = dropout(dy.rectify(dy.affine_transform([*self.fc1, x])), 0.5)
        return dy.affine_transform([*self.fc2, x])


def network():
    return CNN(dy.ParameterCollection())


def loss_fn(outputs, y):
    return dy.mean_batches(dy.pickneglogsoftmax_batch(outputs, y))


def learner(net):
    trainer = dy.MomentumSGDTrainer(net.pc, 0.01, mom=0.9)
    trainer.set_clip_threshold(-1)  # gradients are by default clipped at 5
    return net, loss_fn, trainer


def batches(x, y, batch_size):
    for i in range(0, len(x) - batch_size + 1, batch_size):
        yield x[i : i + batch_size], y[i : i + batch_size]


def train(learner, batches):
    net, loss_fn, trainer = learner
    dropout.training = True
    losses = []
    for x, y in batches:
        dy.renew_cg()
        loss = loss_fn(net(x), y)
        losses.append(loss.value())  # runs the graph
        loss.backward()
        trainer.update()
    return losses


def predict(net, x):
    dy.renew_cg()
    dropout.training = False
    return net(x).npvalue().T.reshape(len(x), 10)


def save(net, path):
    net.pc.save(path)


def load(path):
    net = network()
    net.pc.populate(path)
    return net


def data():
    """cifar10-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 1.0, (1344, 3, 32, 32)).astype("float32")
    y = rng.integers(0, 10, 1344)
    # The first samples serve as patterns.
    x = (x + x[:10][y]) / 2
    return x[:1280], y[:1280], x[1280:], y[1280:]


if __name__ == "__main__":
    x, y, x_test, y_test = data()
    net = network()
    learn = learner(net)
    for epoch in range(10):
        order = np.random.default_rng(epoch).permutation(len(x))
        losses = train(learn, batches(x[order], y[order], 64))
        print(f"epoch {epoch + 1}: loss {losses[-1]:.4f}")
    outputs = predict(net, x_test)
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
