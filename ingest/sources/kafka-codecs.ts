import { createRequire } from 'node:module';
import { CompressionTypes } from 'kafkajs';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { unpackLz4 } from './lz4.ts';
import { unpackSnappy } from './snappy.ts';
import { decodeZstd } from './zstd-frames.ts';

/** A batch that unpacks to more is refused: producers' batches are a megabyte or a few. */
const MAX_BATCH_BYTES = 134_217_728;

/** Reads batches that producers packed with Snappy, LZ4 or Zstandard; kafkajs has gzip alone. Nothing is packed here. */
export function readEveryCodec(): void {
  const unpack = {
    snappy: async (packed: Buffer) => unpackSnappy(packed, MAX_BATCH_BYTES),
    lz4: async (packed: Buffer) => unpackLz4(packed, MAX_BATCH_BYTES),
    zstd: unpackZstd,
  };
  const codec = (name: keyof typeof unpack) => () => ({
    compress: () => Promise.reject(new EvenshareError('EVS_INVARIANT', `nothing is packed with ${name} here`)),
    decompress: (packed: Buffer) =>
      unpack[name](packed).catch((cause: unknown) => Promise.reject(damaged(name, cause))),
  });
  const codecs = loadCodecs();
  codecs[CompressionTypes.Snappy] = codec('snappy');
  codecs[CompressionTypes.LZ4] = codec('lz4');
  codecs[CompressionTypes.ZSTD] = codec('zstd');
}

/** kafkajs's own table; a CommonJS module shows it to nobody who imports by name. */
function loadCodecs(): Record<number, unknown> {
  const load = createRequire(import.meta.url);
  const loaded: unknown = load('kafkajs');
  const codecs = typeof loaded === 'object' && loaded !== null ? Reflect.get(loaded, 'CompressionCodecs') : undefined;
  if (isTable(codecs)) return codecs;
  throw new EvenshareError('EVS_INVARIANT', 'kafkajs is not the version that its codecs were made for');
}

function isTable(value: unknown): value is Record<number, unknown> {
  return typeof value === 'object' && value !== null && CompressionTypes.GZIP in value;
}

async function unpackZstd(packed: Buffer): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of decodeZstd(once(packed))) {
    bytes += chunk.length;
    if (bytes > MAX_BATCH_BYTES) throw new EvenshareError('EVS_KAFKA_TOPIC', 'it unpacks to more than is accepted');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function damaged(name: string, cause: unknown): EvenshareError {
  return new EvenshareError(
    'EVS_KAFKA_TOPIC',
    `the topic holds a batch of messages that cannot be unpacked as ${name}: it is damaged, or larger than 128 MiB unpacked`,
    { cause },
  );
}
