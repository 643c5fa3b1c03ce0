"""What several rooms share. `writing`, `classes` and `folding` are for any framework; `torch_like`
and `keras` for those that are written as PyTorch's or Keras's users write."""
