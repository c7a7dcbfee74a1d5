-- What became of a dead letter that was tried again: stored (and then done with), or refused, and why now. Beside the
-- letters, so that a letter that is delivered once more does not come to life again.
CREATE TABLE IF NOT EXISTS dead_letter_retries (
    letter_id UInt64,
    outcome LowCardinality(String),
    code LowCardinality(String),
    detail String,
    retried_at_ms Int64
)
ENGINE = ReplacingMergeTree
ORDER BY (letter_id, retried_at_ms)
SETTINGS non_replicated_deduplication_window = 1000
