"""Isolated interpreters and packages, one environment per framework, made by uv from locks.

`install.ensure(framework, progress)` gives an `Environment`, making it if it must;
`environment.find(framework)` only looks.
"""
