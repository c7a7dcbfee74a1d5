SELECT * FROM alert_outbox FINAL
WHERE state = 'waiting' AND next_attempt_ms <= {now_ms:Int64}
ORDER BY created_at_ms, id, receiver
LIMIT 100
