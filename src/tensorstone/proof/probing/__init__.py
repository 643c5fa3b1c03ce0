"""The weights and inputs a proof is made with, chosen so that mistakes show and rounding does not.

`probe` puts them together. `rescaling` keeps updates from throwing the model, `perturbation` moves
values away from points where the gradient jumps (`nondifferentiable`), and `small_gradients` makes
the probe that shows an optimiser's epsilon.
"""
