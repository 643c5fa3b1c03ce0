"""Where data sets come from: a mirror folder, package registries' clients, their home pages."""
