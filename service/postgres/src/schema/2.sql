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

-- The services that use the database, and their players. Not durable: after a crash they write it again.
CREATE UNLOGGED TABLE dragontooth.replica (
    name text PRIMARY KEY,
    -- The time of the row's creation.
    since timestamptz NOT NULL,
    renewed_at timestamptz NOT NULL
);

-- Times in microseconds since the epoch.
CREATE UNLOGGED TABLE dragontooth.session (
    replica text NOT NULL,
    player uuid NOT NULL,
    -- Counted by the service.
    version int8 NOT NULL,
    -- Of the open stream.
    opened int8,
    seen int8 NOT NULL,
    PRIMARY KEY (replica, player)
);
CREATE INDEX ON dragontooth.session (replica, version);

UPDATE dragontooth.log SET format = 2;
