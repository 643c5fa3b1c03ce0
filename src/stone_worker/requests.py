"""The requests, one method each. NumPy is imported only when one needs it, so that a framework's
own import of it is timed with the framework."""

import gc
import glob
import importlib.util
import os
import sys
from importlib.machinery import SourceFileLoader

from stone_worker.failure import Refused
from stone_worker.feeding import held_steps, passes, repeat_to
from stone_worker.timing import measured, timed


class Fields(dict):
    """A request's fields; a missing one is the host's mistake, said as such."""

    def __missing__(self, name):
        raise Refused("%s needs the field %r" % (self.get("do"), name))


class Session(object):
    """The state between requests: a program, its bridge, a net, a learner, samples to time with."""

    def __init__(self):
        self._program = self._bridge = self._layers = None
        self._net = self._learner = None
        self._fed = None

    def answer(self, request):
        name = request.get("do")
        method = getattr(self, "do_%s" % name, None)
        if method is None:
            raise Refused("there is no request %r" % name)
        if name != "load":
            self._need("_program", "load")
        return method(Fields(request))

    def do_load(self, fields):
        self._program = self._net = self._learner = self._fed = None
        self._layers = fields["layers"]

        def work():
            # Once: frameworks refuse to have their threads configured a second time.
            if self._bridge is None or self._bridge.__file__ != fields["bridge"]:
                bridge = _import("stone_bridge", fields["bridge"])
                bridge.configure(fields["threads"])
                self._bridge = bridge
            return _import("stone_program", fields["program"])

        self._program, import_s = timed(work)
        # A framework is hundreds of thousands of objects that stay: without this every collection
        # below looks through them all, a tenth of a second each time.
        if hasattr(gc, "freeze"):
            gc.collect()
            gc.freeze()
        return {"import_s": import_s, "version": self._bridge.version()}

    def do_new(self, fields):
        weights = _arrays(fields["weights"]) if fields["weights"] else None
        self._net = self._learner = None
        gc.collect()

        def work():
            net = self._program.network()
            if weights is not None:
                self._bridge.write(net, self._layers, weights)
            return net

        self._net, build_s = timed(work)
        return {"build_s": build_s}

    def do_learner(self, fields):
        self._need("_net", "new")

        def work():
            learner = self._program.learner(self._net)
            if fields["sgd"] is not None:
                learner = self._bridge.plain_sgd(learner, fields["sgd"])
            return learner

        self._learner, build_s = timed(work)
        return {"build_s": build_s}

    def do_train(self, fields):
        self._need("_learner", "learner")
        x, y = self._samples(fields["data"])
        batch, steps = fields["batch"], fields.get("steps")
        if steps is not None:
            x, y = x[: steps * batch], y[: steps * batch]
        x, y = self._bridge.to_native(x), self._bridge.to_native(y)
        batches, feed_s = timed(lambda: self._program.batches(x, y, batch))
        values, wall_s = timed(lambda: self._run([batches]))
        losses = [float(loss) for loss in self._bridge.losses(values[0])]
        return {"losses": losses, "feed_s": feed_s, "wall_s": wall_s}

    def do_predict(self, fields):
        self._need("_net", "new")
        x = self._bridge.to_native(_arrays(fields["data"])["x"])

        def work():
            values = self._program.predict(self._net, x)
            self._bridge.wait(self._net)
            return values

        values, wall_s = timed(work)
        _write(fields["out"], {"outputs": self._bridge.outputs(values)})
        return {"wall_s": wall_s}

    def do_read(self, fields):
        self._need("_net", "new")
        _write(fields["out"], self._bridge.read(self._net, self._layers))
        return {}

    def do_feed(self, fields):
        x, y = self._samples(fields["data"])
        batch = fields["batch"]
        if len(x) == 0:
            raise Refused("%s holds no samples" % fields["data"])
        steps = held_steps(batch * (x.nbytes + y.nbytes) // len(x))
        x, y = repeat_to(x, steps * batch), repeat_to(y, steps * batch)
        self._fed = self._bridge.to_native(x), self._bridge.to_native(y), batch, steps
        return {"steps": steps, "bytes": x.nbytes + y.nbytes}

    def do_block(self, fields):
        self._need("_learner", "learner")
        self._need("_fed", "feed")
        x, y, batch, held = self._fed
        count, each = passes(fields["steps"], held)
        x, y = x[: each * batch], y[: each * batch]
        batches = [self._program.batches(x, y, batch) for _ in range(count)]
        answer = measured(lambda: self._run(batches))
        answer["steps"] = count * each
        return answer

    def do_save(self, fields):
        self._need("_net", "new")
        _, wall_s = timed(lambda: self._program.save(self._net, fields["path"]))
        return {"wall_s": wall_s, "bytes": _size(fields["path"])}

    def _run(self, passes_of_batches):
        values = [self._program.train(self._learner, batches) for batches in passes_of_batches]
        self._bridge.wait(self._learner)
        return values

    def _samples(self, path):
        arrays = _arrays(path)
        if "x" not in arrays or "y" not in arrays:
            raise Refused("%s holds no x and y" % path)
        return arrays["x"], arrays["y"]

    def _need(self, what, request):
        if getattr(self, what) is None:
            raise Refused("%s is needed first" % request)


def _arrays(path):
    import numpy

    with numpy.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _write(path, arrays):
    import numpy

    with open(path, "wb") as file:  # given a name, NumPy would add a suffix of its own
        numpy.savez(file, **arrays)


def _size(path):
    """Bytes on disk of what was saved: a file, a folder, or several files with this prefix."""
    files = [name for name in glob.glob(glob.escape(path) + "*") if os.path.isfile(name)]
    for folder, _, names in os.walk(path):
        files += [os.path.join(folder, name) for name in names]
    return sum(os.path.getsize(name) for name in files)


class _FromSource(SourceFileLoader):
    """Never from a .pyc: its time stamp is in seconds, and programs are rewritten in place."""

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def _import(name, path):
    spec = importlib.util.spec_from_file_location(name, path, loader=_FromSource(name, path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # frameworks that look a class up by its module find it
    spec.loader.exec_module(module)
    return module
