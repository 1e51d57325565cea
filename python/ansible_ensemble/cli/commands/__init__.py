"""The commands; a module is imported only when its command is called."""
