/** As a gateway's file has it, indentation and all. */
export const FAIR_QUEUE = `   fair_queue:
     cost_unit: estimated_tokens
     tenants:
       - { name: marketing,  weight: 30, class: realtime,    wait_budget_s: 5 }
       - { name: cs_bot,     weight: 30, class: interactive, wait_budget_s: 15 }
       - { name: data_batch, weight: 15, class: batch,       wait_budget_s: 300 }
     anti_starvation:
       boost_share_max: 0.10
       per_tenant_boost_hourly: 200
     degrade:
       - { level: L1, trigger: queue_water > 0.7,  action: pause_batch }
       - { level: L2, trigger: queue_water > 0.85, action: light_mode_interactive }
       - { level: L3, trigger: queue_water > 0.95, action: throttle_realtime }
`;

/** Every key of the fuller form, none at its default. */
export const FULLER = `# every key
name: everything
cost_unit: service_ms
settle: false
discipline: { kind: drr, quantum: 12.5 }
queue:
  total_limit: 6000
  per_tenant_limit: 200
default_tenant: { weight: 2, class: bulk, queue_limit: 50, quota: null, wait_budget: 1m }
refuse_unknown_tenants: true
weights: { "=cmd": 3, 中文: 0.5 }
tenants:
  - name: acme
    weight: 8
    class: urgent
    queue_limit: unlimited
    quota: { rate_per_s: 450, burst: 112.5, unit: cost, mode: refuse }
    wait_budget: unlimited
    group: corp
  - { name: beta, wait_budget_ms: 250 }
classes:
  - { name: urgent, weight: 70, wait_budget_s: 5, target: { ratio: 0.99, wait_below: 300ms } }
  - { name: bulk, weight: 5 }
groups: { corp: { weight: 0 }, partners: {} }
shuffle_sharding: { queues: 128, hand_size: 6 }
starvation_guard: { max_wait: 200ms, in_flight_ratio: 1, per_tenant_hourly: 200 }
wait_budget: { predict: false, throughput_quantile: 0.1, boost_share_max: 0.2, per_tenant_boost_hourly: 9 }
boost: { after: 90s, for_ms: 1500 }
circuit_breaker: { failures: 4, cool_down: 3s, probes: 2, successes: 1 }
slo_weights:
  every: 20s
  window: 2m
  amplification: 4
  dead_band_ratio: 0.1
  step_ratio: 0.3
  min_samples: 10
  least_factor: 0.5
  most_factor: 3
adaptive_admission: { every: 2s, target_load_ratio: 0.6, gain: 0.7, least_factor: 0.2, most_factor: 1.5 }
degradation:
  every_s: 2
  min_dwell: 0s
  throttle_ratio: 0.25
  levels:
    - { name: L1, enter_above: 0.7, leave_below: 0.5, action: pause, class: bulk }
    - { name: L2, enter_above: 0.9, action: throttle, class: urgent }
`;
