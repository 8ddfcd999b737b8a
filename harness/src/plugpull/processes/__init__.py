"""Processes of an agent: how they are started, watched, killed and cleaned up.

Nothing here knows a scenario. A scenario asks a :class:`~plugpull.processes.launcher.Launcher` for
a process and gets something it can wait for and kill.
"""
