"""Records: a journal becomes what is kept of a job, and a killed job's is recovered."""
