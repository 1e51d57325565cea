"""The pages of `ansible-ensemble ui`: a web server over the command and over the journals of jobs."""
