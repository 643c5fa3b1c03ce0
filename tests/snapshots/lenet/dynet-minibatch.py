"""LeNet on MNIST in DyNet, in explicit minibatches."""

import sys

import dynet as dy
import numpy as np


def averagepooling2d(x, ksize, stride, is_valid=True):
    # DyNet has none: a convolution with equal weights, every channel a sample.
    (rows, columns, channels), batch = x.dim()
    x = dy.reshape(x, (rows, columns, 1), channels * batch)
    x = dy.conv2d(x, dy.constant((*ksize, 1, 1), 1 / np.prod(ksize)), stride, is_valid)
    return dy.reshape(x, (*x.dim()[0][:2], channels), batch)


class LeNet:
    def __init__(self, pc):
        self.pc = pc
        self.conv1 = pc.add_parameters((5, 5, 1, 6)), pc.add_parameters(6)
        self.conv2 = pc.add_parameters((3, 3, 6, 16)), pc.add_parameters(16)
        self.fc1 = pc.add_parameters(120), pc.add_parameters((120, 400))
        self.fc2 = pc.add_parameters(84), pc.add_parameters((84, 120))
        self.fc3 = pc.add_parameters(10), pc.add_parameters((10, 84))

    def __call__(self, x):
        x = dy.inputTensor(x.T, batched=True)  # column-major: x.T moves no value
        x = averagepooling2d(
            dy.rectify(dy.conv2d_bias(x, *self.conv1, [1, 1])), [2, 2], [2, 2]
        )
        x = averagepooling2d(
            dy.rectify(dy.conv2d_bias(x, *self.conv2, [1, 1])), [2, 2], [2, 2]
        )
        x = dy.reshape(x, (400,))
        x = dy.rectify(dy.affine_transform([*self.fc1, x]))
        x = dy.rectify(dy.affine_transform([*self.fc2, x]))
        return dy.affine_transform([*self.fc3, x])


def network():
    return LeNet(dy.ParameterCollection())


def loss_fn(outputs, y):
    return dy.mean_batches(dy.pickneglogsoftmax_batch(outputs, y))


def learner(net):
    trainer = dy.AdamTrainer(net.pc, 1e-3, beta_1=0.9, beta_2=0.999, eps=1e-8)
    trainer.set_clip_threshold(-1)  # gradients are by default clipped at 5
    return net, loss_fn, trainer


def batches(x, y, batch_size):
    for i in range(0, len(x) - batch_size + 1, batch_size):
        yield x[i : i + batch_size], y[i : i + batch_size]


def train(learner, batches):
    net, loss_fn, trainer = learner
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
    return net(x).npvalue().T.reshape(len(x), 10)


def save(net, path):
    net.pc.save(path)


def load(path):
    net = network()
    net.pc.populate(path)
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
        print(f"epoch {epoch + 1}: loss {losses[-1]:.4f}")
    outputs = predict(net, x_test)
    print(f"accuracy {np.mean(outputs.argmax(1) == y_test):.4f}")
