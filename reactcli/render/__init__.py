"""What people see: values to text and renderables. Nothing in this room prints; `cli/output.py` does."""
