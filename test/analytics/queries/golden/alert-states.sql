SELECT rule, pool, state, breaching, recovering, since_ms, worst_p99_wait_ms, evaluated_to_ms, incident_id, notified
FROM alert_states FINAL
ORDER BY rule, pool
