#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")/.."

# Most users run a newer Node: there the core, the intake with topics that are read, the store and the reports too. Not yet well on
# Node 24: a broker that misses the client's certificate is told as one that does not answer, and that Node's own JSON.parse
# misreads keys of one escaped character in lists of objects (24.21.0 gives "\\" for "\n"), which two properties find:
# rows.test, read-yaml.property.test.
node24="$(mktemp -d)"
trap 'rm -rf "$node24"' EXIT
npm install --silent --no-save --prefix "$node24" node@24 >/dev/null
echo "unit tests on Node $("$node24/node_modules/node/bin/node" --version)"
"$node24/node_modules/node/bin/node" node_modules/vitest/vitest.mjs run test/scheduler-core test/ingest test/reports test/analytics/storage test/analytics/alerts --exclude 'test/ingest/fuzz/**' --exclude 'test/scheduler-core/scheduler/long-run.test.ts' --exclude 'test/ingest/sources/kafka-live-topic.test.ts' --exclude 'test/ingest/sources/kafka-{security,faults,topics}.test.ts' --exclude 'test/ingest/sources/job-leadership.test.ts' --exclude 'test/analytics/storage/{rows,two-shards}.test.ts' --exclude 'test/scheduler-core/policy/read-yaml.property.test.ts'
