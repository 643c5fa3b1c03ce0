"""The arrays a workload trains on, in one canonical form that every framework is fed from.

Inputs `x` are float32, samples × the model's input shape (channels before height and width); texts
are int64 tokens, samples × time. Targets `y` are int64 class numbers (samples,) under softmax
cross-entropy, otherwise float32, samples × the model's output shape; under binary cross-entropy
they are 0 or 1.

`synthetic.synthetic(workload, …)` draws them; `real.real(workload)` prepares a real set's, which
`getting.get` fetches once and `kept` keeps.
"""
