SELECT code, count() AS letters
FROM dead_letters FINAL
WHERE received_at_ms >= {from_ms:Int64} AND received_at_ms < {to_ms:Int64}
GROUP BY code
ORDER BY code
