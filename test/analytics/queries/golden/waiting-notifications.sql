SELECT countIf(state = 'waiting') AS waiting, countIf(state = 'dead') AS dead FROM alert_outbox FINAL
