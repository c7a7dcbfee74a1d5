-- By which people name a letter, in hexadecimal: of where it came from and what it is, never of when, so that a record
-- that is read again, in whatever month, is the same letter.
ALTER TABLE dead_letters ADD COLUMN IF NOT EXISTS letter_id UInt64 MATERIALIZED reinterpretAsUInt64(
    reverse(substring(SHA256(concat(source, '\n', toString(position), '\n', toString(content_hash))), 1, 8))
)
