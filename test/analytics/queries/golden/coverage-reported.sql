SELECT count() AS reports
FROM coverage_reports
WHERE pool = {pool:String} AND from_ms < {to_ms:Int64} AND to_ms > {from_ms:Int64}
