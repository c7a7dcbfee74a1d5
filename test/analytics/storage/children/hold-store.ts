import { openClickHouse } from '../../../../analytics/storage/index.ts';

// Holds a data folder, says so, and lets it go when its standard input ends.
const path = process.argv[2] ?? '';
const store = await openClickHouse({ kind: 'embedded', path });
process.stdout.write('held\n');
process.stdin.resume().once('end', async () => {
  await store.close();
  // The engine's threads would keep the process alive.
  process.exit(0);
});
