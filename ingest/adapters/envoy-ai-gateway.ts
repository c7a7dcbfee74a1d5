import { declareEnvoy, ENVOY_PROVENANCE } from './envoy.ts';
import { gatewayAdapter } from './gateway-adapter.ts';

/**
 * Envoy AI Gateway's access log: Envoy's, with tokens (`input_tokens`, `output_tokens`; the metadata that they are logged
 * from is configured there, so the mapping says what they are called when it is not `genai_tokens_…`).
 */
export const envoyAiGatewayAdapter = gatewayAdapter({
  name: 'envoy-ai-gateway',
  summary: 'Envoy AI Gateway access log (JSON), with tokens',
  costUnit: 'tokens',
  isDashAbsent: true,
  example: JSON.stringify({
    start_time: '2026-03-02T10:15:07.894Z',
    response_code: 200,
    response_flags: '-',
    response_code_details: 'via_upstream',
    duration: 6526,
    genai_model_name: 'llama-3-8b',
    genai_tokens_input: 315,
    genai_tokens_output: 207,
    upstream_host: '10.0.4.9:8000',
    'x-request-id': '83b63da3',
    tenant: 'acme',
  }),
  provenance: { ...ENVOY_PROVENANCE, input_tokens: 'measured', output_tokens: 'measured' },
  known: {
    tenant: { says: 'as envoy', provenance: 'measured' },
    arrival: { says: 'yes', provenance: 'measured' },
    decision: { says: 'as envoy', provenance: 'derived' },
    wait: { says: 'as envoy', provenance: 'bounded' },
    service: { says: 'yes', provenance: 'derived' },
    cost: { says: 'tokens, configurable names', provenance: 'measured' },
    retry: { says: '–', provenance: 'absent' },
  },
  declare: (site) => declareEnvoy(site, true),
});
