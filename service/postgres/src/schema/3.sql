-- The catalogue: all by which matches are found, kept by the append that changes it.
DROP INDEX dragontooth.stream_not_ended;
ALTER TABLE dragontooth.stream DROP COLUMN ended;
ALTER TABLE dragontooth.stream
    -- 0 if the catalogue does not know the match yet; 1 open, 2 active, 3 over.
    ADD COLUMN stage int2 NOT NULL DEFAULT 0,
    ADD COLUMN creator uuid,
    -- Of a seed that the creator gave.
    ADD COLUMN seed_mark bytea,
    -- The time after which a service has to look at the match if nothing has happened in it; microseconds since the epoch.
    ADD COLUMN deadline int8;
CREATE INDEX stream_unlisted ON dragontooth.stream (id) WHERE stage = 0;
CREATE INDEX stream_live ON dragontooth.stream (creator) WHERE stage IN (1, 2);
CREATE INDEX stream_of_seed ON dragontooth.stream (creator, seed_mark) WHERE seed_mark IS NOT NULL;

-- The lists: the matches of one kind that one player plays, or anyone, and that one party may see. A kind below 0 has invitations:
-- who is invited, and by whom.
CREATE TABLE dragontooth.shelf (
    played_by uuid NOT NULL,
    shown_to uuid NOT NULL,
    kind int2 NOT NULL,
    stream uuid NOT NULL,
    PRIMARY KEY (played_by, shown_to, kind, stream)
);
CREATE INDEX shelf_of_invited ON dragontooth.shelf (played_by) WHERE kind < 0;
CREATE INDEX shelf_of_inviter ON dragontooth.shelf (shown_to) WHERE kind < 0;

-- Summaries are read with the match. Its end is known from the catalogue.
ALTER TABLE dragontooth.summary DROP COLUMN place, DROP COLUMN brief, DROP COLUMN head;
DROP SEQUENCE IF EXISTS dragontooth.place;
DELETE FROM dragontooth.summary WHERE summary IS NULL;

UPDATE dragontooth.log SET format = 3;
