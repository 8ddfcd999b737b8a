"""Long-lived servers that a framework needs: started beside the runs, and never killed by one."""
