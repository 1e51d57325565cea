"""Regular expressions in RE2's syntax, matched in time linear in the text: no pattern can make a match explode."""
