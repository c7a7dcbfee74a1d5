ALTER TABLE dead_letters_local ON CLUSTER 'fleet-1' ADD COLUMN IF NOT EXISTS letter_id UInt64 MATERIALIZED reinterpretAsUInt64(
    reverse(substring(SHA256(concat(source, '\n', toString(position), '\n', toString(content_hash))), 1, 8))
)
;
ALTER TABLE dead_letters ON CLUSTER 'fleet-1' ADD COLUMN IF NOT EXISTS letter_id UInt64 MATERIALIZED reinterpretAsUInt64(
    reverse(substring(SHA256(concat(source, '\n', toString(position), '\n', toString(content_hash))), 1, 8))
)
