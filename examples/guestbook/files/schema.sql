-- Applied whenever it changes, so every statement must be harmless the second time.
CREATE TABLE IF NOT EXISTS entry (
    id INTEGER PRIMARY KEY,
    signed TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M', 'now')),
    name TEXT NOT NULL,
    message TEXT NOT NULL
);

INSERT INTO entry (name, message)
SELECT 'tosca.ensemble', 'Welcome! Sign below.'
WHERE NOT EXISTS (SELECT 1 FROM entry);
