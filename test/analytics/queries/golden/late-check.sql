SELECT max(late_checked_to_ms) AS checked_to_ms
FROM job_progress
WHERE window_ms = {window_ms:UInt64}
HAVING count() > 0
