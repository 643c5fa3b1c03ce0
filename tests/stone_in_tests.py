"""`stone` as tests start it: a framework that the test did not name fails it here too."""

from __future__ import annotations

from framework_access import refuse_others

from tensorstone.cli import main

refuse_others()
main()
