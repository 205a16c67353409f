-- What the player of an open stream says that it accepts, as the services encode it.
ALTER TABLE dragontooth.session ADD COLUMN offer bytea;

UPDATE dragontooth.log SET format = 4;
