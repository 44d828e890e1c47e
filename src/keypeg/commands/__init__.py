"""The commands, a file for each family. What a command needs is imported when it runs."""
