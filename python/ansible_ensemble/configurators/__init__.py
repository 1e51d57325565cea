"""One module per tool that can implement an operation; each turns a task into orders for the workers."""
