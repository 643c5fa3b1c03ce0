"""The requests, one method each. NumPy is imported only when one needs it, so that a framework's
own import of it is timed with the framework."""

import gc

from stone_worker.calls import cut, time_calls
from stone_worker.failure import NoDouble, Refused
from stone_worker.feeding import held_steps, passes, repeat_to
from stone_worker.files import arrays, size, write
from stone_worker.importing import import_source
from stone_worker.iterating import NoLoader, exhaust, loader, slices
from stone_worker.shuffling import epoch_order
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
        self._double = False  # whether it computes in float64

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
                bridge = import_source("stone_bridge", fields["bridge"])
                bridge.configure(fields["threads"])
                self._bridge = bridge
            return import_source("stone_program", fields["program"])

        self._program, import_s = timed(work)
        answer = {"import_s": import_s, "version": self._bridge.version()}
        if fields.get("precision") == "float64":
            answer.update(self._doubled())
        _leave_alone_what_is_here()
        return answer

    def _doubled(self):
        """After the import: some programs choose their precision there."""
        if not hasattr(self._bridge, "double"):
            return {"absent": "its bridge has no function `double`"}
        try:
            said = self._bridge.double()
        except NoDouble as reason:
            return {"absent": str(reason)}
        self._double = True
        return {"changed": said}

    def do_new(self, fields):
        weights = arrays(fields["weights"]) if fields["weights"] else None
        self._net = self._learner = None
        gc.collect()

        def work():
            net = self._program.network()
            if self._double:
                net = getattr(self._bridge, "doubled", lambda net: net)(net)
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
        return self._trained(x, y, batch)

    def do_epoch(self, fields):
        self._need("_learner", "learner")
        x, y = self._samples(fields["data"])
        batch = fields["batch"]
        order = epoch_order(len(x), batch, fields["seed"], fields["epoch"])
        if not len(order):
            raise Refused("%s does not fill one batch of %d" % (fields["data"], batch))
        x, y = self._bridge.to_native(x[order]), self._bridge.to_native(y[order])
        return dict(self._trained(x, y, batch), steps=len(order) // batch)

    def do_predict(self, fields):
        self._need("_net", "new")
        x = self._bridge.to_native(arrays(fields["data"])["x"])
        values, wall_s = timed(lambda: self._predict(x))
        write(fields["out"], {"outputs": self._bridge.outputs(values)})
        return {"wall_s": wall_s}

    def do_evaluate(self, fields):
        self._need("_net", "new")
        x, batch = arrays(fields["data"])["x"], fields["batch"]
        if fields.get("steps") is not None:
            x = x[: fields["steps"] * batch]

        def work():
            # Each part is fetched before the next is asked for: only one is ever in the framework.
            return [
                self._bridge.outputs(
                    self._program.predict(self._net, self._bridge.to_native(x[i : i + batch]))
                )
                for i in range(0, len(x), batch)
            ]

        parts, wall_s = timed(work)
        write(fields["out"], {"outputs": _joined(parts)})
        return {"wall_s": wall_s}

    def do_read(self, fields):
        self._need("_net", "new")
        write(fields["out"], self._bridge.read(self._net, self._layers))
        return {}

    def do_feed(self, fields):
        x, y = self._samples(fields["data"])
        batch = fields["batch"]
        if len(x) == 0:
            raise Refused("%s holds no samples" % fields["data"])
        steps = held_steps(batch * (x.nbytes + y.nbytes) // len(x))
        x, y = repeat_to(x, steps * batch), repeat_to(y, steps * batch)
        self._fed = self._bridge.to_native(x), self._bridge.to_native(y), batch, steps
        _leave_alone_what_is_here()  # the first step may have imported as much again
        return {"steps": steps, "bytes": x.nbytes + y.nbytes}

    def do_block(self, fields):
        self._need("_learner", "learner")
        self._need("_fed", "feed")
        x, y, batch, held = self._fed
        count, each = passes(fields["steps"], held)
        x, y = x[: each * batch], y[: each * batch]
        if fields.get("settle"):
            few = fields["settle"] * batch
            self._run([self._program.batches(x[:few], y[:few], batch)])
        batches = [self._program.batches(x, y, batch) for _ in range(count)]
        answer = measured(lambda: self._run(batches))
        answer["steps"] = count * each
        return answer

    def do_iterate(self, fields):
        self._need("_fed", "feed")
        try:
            make = loader(self._program.batches, fields["workers"])
            batches, walls = self._iterate(make, fields["steps"], fields["times"])
        except NoLoader as reason:
            return {"absent": str(reason)}
        sliced, slice_walls = self._iterate(slices, fields["steps"], fields["times"])
        return {
            "batches": batches,
            "walls_s": walls,
            "slices": sliced,
            "slice_walls_s": slice_walls,
        }

    def do_calls(self, fields):
        self._need("_net", "new")
        x = self._bridge.to_native(arrays(fields["data"])["x"])
        arguments = cut(x, fields["batch"], fields["most"])
        if not arguments:
            raise Refused("%s holds no %d samples" % (fields["data"], fields["batch"]))
        first_s, calls_s = time_calls(self._predict, arguments, fields["seconds"], fields["most"])
        return {"first_s": first_s, "calls_s": calls_s}

    def do_save(self, fields):
        self._need("_net", "new")
        _, wall_s = timed(lambda: self._program.save(self._net, fields["path"]))
        return {"wall_s": wall_s, "bytes": size(fields["path"])}

    def do_restore(self, fields):
        self._net = self._learner = None
        gc.collect()

        def work():
            net = self._program.load(fields["path"])
            self._bridge.wait(net)
            return net

        self._net, wall_s = timed(work)
        return {"wall_s": wall_s}

    def _predict(self, x):
        values = self._program.predict(self._net, x)
        # For the values, not the net: where work is asynchronous they are what is not yet there.
        self._bridge.wait(values)
        return values

    def _iterate(self, make, steps, times):
        x, y, batch, held = self._fed
        count, each = passes(steps, held)
        x, y = x[: each * batch], y[: each * batch]
        walls = []
        for _ in range(times):
            found, wall_s = exhaust([make(x, y, batch) for _ in range(count)], self._bridge.wait)
            walls.append(wall_s)
        return found, walls

    def _trained(self, x, y, batch):
        batches, feed_s = timed(lambda: self._program.batches(x, y, batch))
        values, wall_s = timed(lambda: self._run([batches]))
        losses = [float(loss) for loss in self._bridge.losses(values[0])]
        return {"losses": losses, "feed_s": feed_s, "wall_s": wall_s}

    def _run(self, passes_of_batches):
        values = [self._program.train(self._learner, batches) for batches in passes_of_batches]
        self._bridge.wait(self._learner)
        return values

    def _samples(self, path):
        held = arrays(path)
        if "x" not in held or "y" not in held:
            raise Refused("%s holds no x and y" % path)
        return held["x"], held["y"]

    def _need(self, what, request):
        if getattr(self, what) is None:
            raise Refused("%s is needed first" % request)


def _leave_alone_what_is_here():
    """A framework is hundreds of thousands of objects that stay: without this every collection
    looks through them all, a tenth of a second each time."""
    if hasattr(gc, "freeze"):
        gc.collect()
        gc.freeze()


def _joined(parts):
    import numpy

    return numpy.concatenate(parts)
