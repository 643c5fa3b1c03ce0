"""Frameworks whose layers are called as PyTorch's are: PyTorch, OneFlow, in part MindSpore."""
