SELECT pool, tenant, request_id, attempt, arrived_at_ms, outcome, reason, dispatched_at_ms, completed_at_ms, cost_estimate, cost, input_tokens, output_tokens, slots, status, class, original_request_id, retry_after_ms, promoted, weight, queue_depth, wait_budget_ms, gateway, labels, tenant_provenance, wait_provenance
FROM requests
WHERE pool IN {pools:Array(String)}
    AND minute IN (SELECT toDateTime(arrayJoin({minutes:Array(Int64)}), 'UTC'))
    AND request_id IN (SELECT arrayJoin(splitByChar('\n', {request_ids:String})))
