"""A newer SQLite in the place of the one that Python was built with, where that one is too old.

DBOS asks SQLite for ``unixepoch('subsec')``, which came with SQLite 3.42. The package
``pysqlite3-binary`` has the module ``sqlite3`` with a newer library in it. This has to be imported
before DBOS is; where Python's own will do, nothing is changed.
"""

import sqlite3
import sys

NEEDED = (3, 42)

if sqlite3.sqlite_version_info < NEEDED:
    import pysqlite3
    from pysqlite3 import dbapi2

    sys.modules["sqlite3"] = pysqlite3
    sys.modules["sqlite3.dbapi2"] = dbapi2
