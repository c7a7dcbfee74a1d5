SELECT intDiv(arrived_at_ms, {window_ms:Int64}) AS step, countIf(ifNull(outcome != outcome_least, 0) OR ifNull(reason != reason_least, 0) OR ifNull(dispatched_at_ms != dispatched_at_ms_least, 0) OR ifNull(completed_at_ms != completed_at_ms_least, 0) OR ifNull(cost_estimate != cost_estimate_least, 0) OR ifNull(cost != cost_least, 0) OR ifNull(input_tokens != input_tokens_least, 0) OR ifNull(output_tokens != output_tokens_least, 0) OR ifNull(slots != slots_least, 0)) AS conflicts
FROM requests FINAL
WHERE pool = {pool:String}
    AND minute >= toDateTime(intDiv({from_ms:Int64}, 60000) * 60, 'UTC')
    AND minute <= toDateTime(intDiv({to_ms:Int64} - 1, 60000) * 60, 'UTC')
    AND arrived_at_ms >= {from_ms:Int64} AND arrived_at_ms < {to_ms:Int64}
GROUP BY step
ORDER BY step
