SELECT intDiv(max(computation), 1000) AS computed_at_ms FROM windows HAVING count() > 0
