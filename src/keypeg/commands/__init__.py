"""The commands, one file for each family. A command imports what it needs when it runs."""
