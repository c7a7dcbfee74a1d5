SELECT uniqExact(start_ms) AS windows
FROM windows
WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64} AND start_ms > {from_ms:Int64} - {window_ms:Int64}
