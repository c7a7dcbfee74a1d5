SELECT start_ms, revision, computation, replaced_by, figures
FROM window_revisions FINAL
WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
    AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
ORDER BY start_ms, revision
