-- The lists have the matches of a variant and of a creator too: `played_by` has the key of a group. The catalogue is entered again at the
-- next start.
DELETE FROM dragontooth.shelf;
UPDATE dragontooth.stream SET stage = 0 WHERE stage <> 0;

UPDATE dragontooth.log SET format = 5;
