SELECT toInt64(toUnixTimestamp(minute)) * 1000 AS minute_ms, count() AS requests
FROM requests
WHERE pool = {pool:String}
    AND minute >= toDateTime(intDiv({from_ms:Int64}, 60000) * 60, 'UTC')
    AND minute < toDateTime(intDiv({to_ms:Int64} + 59999, 60000) * 60, 'UTC')
GROUP BY minute
ORDER BY minute
