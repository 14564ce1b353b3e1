"""What a run needs around it: the instance in the home, which runs are alive, recovery from the kept pages."""
