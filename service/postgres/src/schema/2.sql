-- Streams that have not ended are found without a look at the others. What says so may be lost, like the note of the end.
ALTER TABLE dragontooth.stream ADD COLUMN ended bool NOT NULL DEFAULT false;
UPDATE dragontooth.stream s SET ended = true FROM dragontooth.summary e
    WHERE e.stream = s.id AND e.head = s.head AND e.place IS NOT NULL;
CREATE INDEX stream_not_ended ON dragontooth.stream (id) WHERE NOT ended;

-- The stream that a name stands for.
CREATE TABLE dragontooth.name (
    name bytea PRIMARY KEY,
    stream uuid NOT NULL
);

UPDATE dragontooth.log SET format = 2;
