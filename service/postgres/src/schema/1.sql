-- One row: of the log as a whole.
CREATE TABLE dragontooth.log (
    format int4 NOT NULL,
    secret_key bytea,
    -- A backup is being restored.
    restoring bool NOT NULL DEFAULT false,
    -- Counts writes that make others durable.
    barrier int8 NOT NULL DEFAULT 0
);
INSERT INTO dragontooth.log (format) VALUES (1);

-- The head moves with every append; room on the page keeps it from touching the index.
CREATE TABLE dragontooth.stream (
    id uuid PRIMARY KEY,
    head int8 NOT NULL CHECK (head > 0)
) WITH (fillfactor = 70);

CREATE TABLE dragontooth.event (
    stream uuid NOT NULL,
    seq int8 NOT NULL CHECK (seq > 0),
    record bytea NOT NULL,
    PRIMARY KEY (stream, seq)
);
ALTER TABLE dragontooth.event ALTER COLUMN record SET STORAGE EXTERNAL;

-- Follows from the events, and may be lost.
CREATE TABLE dragontooth.summary (
    stream uuid PRIMARY KEY,
    summary bytea,
    -- The end of the stream as it was noted, in the order of the notes.
    head int8,
    brief bytea,
    place int8 UNIQUE
);
CREATE SEQUENCE dragontooth.place OWNED BY dragontooth.summary.place;
