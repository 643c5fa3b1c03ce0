"""What a program does where it leaves the model: measured, and said in a sentence with numbers.

Each module fits one kind of thing to arrays: `functions` (element-wise), `relations` (an array
against what it should be), `windows`, `statistics`, `gradients`, `updates`, `precision`. All are
pure; what they are given is asked of the program elsewhere.
"""
