"""Importing a program or a bridge by its path."""

import importlib.util
import sys
from importlib.machinery import SourceFileLoader


class _FromSource(SourceFileLoader):
    """Never from a .pyc: its time stamp is in seconds, and programs are rewritten in place."""

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def import_source(name, path):
    """The module of this file, under this name."""
    spec = importlib.util.spec_from_file_location(name, path, loader=_FromSource(name, path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # frameworks that look a class up by its module find it
    spec.loader.exec_module(module)
    return module
