"""The shell: reads arguments and files, calls the core, renders, writes, and exits with a code for scripts."""
