"""LeNet on MNIST in MLX, eager."""

import sys

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np


# Images are height × width × channels.
class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, kernel_size=5)
        self.pool1 = nn.AvgPool2d(2)
        self.conv2 = nn.Conv2d(6, 16, kernel_size=3)
        self.pool2 = nn.AvgPool2d(2)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def __call__(self, x):
        x = self.pool1(nn.relu(self.conv1(x)))
        x = self.pool2(nn.relu(self.conv2(x)))
        x = mx.flatten(x, start_axis=1)
        x = nn.relu(self.fc1(x))
        x = nn.relu(self.fc2(x))
        return self.fc3(x)


def network():
    net = LeNet()
    # Evaluation is lazy, of initial weights too: compute them now.
    mx.eval(net.parameters())
    return net


def loss_fn(net, x, y):
    return nn.losses.cross_entropy(net(x), y, reduction="mean")


def learner(net):
    optimizer = optim.Adam(learning_rate=1e-3, bias_correction=True)
    return net, optimizer, nn.value_and_grad(net, loss_fn)


def batches(x, y, batch_size):
    for i in range(0, len(x) - batch_size + 1, batch_size):
        yield mx.array(x[i : i + batch_size]), mx.array(y[i : i + batch_size])


def train(learner, batches):
    net, optimizer, gradients = learner
    net.train()
    losses = []
    for x, y in batches:
        loss, grads = gradients(net, x, y)
        optimizer.update(net, grads)
        # The step is computed here, all at once.
        mx.eval(loss, net.state, optimizer.state)
        losses.append(loss)
    return losses


def predict(net, x):
    net.eval()
    return net(mx.array(x))


def save(net, path):
    net.save_weights(f"{path}.safetensors")


def load(path):
    net = network()
    net.load_weights(f"{path}.safetensors")
    return net


def data():
    """mnist-shaped synthetic samples: noise, and a pattern for each class.

    For real data pass a .npz file with x_train, y_train, x_test and y_test.
    """
    if len(sys.argv) > 1:
        with np.load(sys.argv[1]) as file:
            return [file[k] for k in ("x_train", "y_train", "x_test", "y_test")]
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 255.0, (4200, 28, 28, 1)).astype("float32")
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
