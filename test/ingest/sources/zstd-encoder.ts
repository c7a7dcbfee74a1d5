import { literalXxh64 } from './literal-xxh64.ts';

/** Forty events compressed by the reference implementation, `zstd -19`, with its checksum. */
export const REFERENCE_FRAME = Buffer.from(
  'KLUv/WRXCg0KAFZTLxeQKx2jD7blKpuRuwZtSyllSmmnv+sHJzcAJAAiAD085iUgYgQlaSgKJWDlDdVfMwpKQhgYDg8Eg0EogWKSIihJgpA4JCVQDKMI' +
    'igExSBoHx+LAKJA+f07PXmlo5SGVtP49JdM9+8faSWRadKjHUFkd842sij6f6QH291z9tUN/yX/N/mX599T8PZ/fuvk8lc/WfRqzz7P6rDMBgAh/rruH' +
    '5dnUfYfu4tH9Ft010W1+uu+m24h0Uxl6becvL3uoEcBJ3/87sJVR6BK4hSfwCBIClC/sCT8/e2kjsfhRCSOMLtcrSozG0TgaRmNoTI2hMSpGxyily/Wq' +
    '3cJoGI2jAcNN42ebxo82jZ9sGj/YNH6uafxhlWZas/KuJqJWs6WZv1wbkHkoGc5a8oduYJubq+YI+WDHw8KxN+UxjOTSqgLmtz8=',
  'base64',
);

/** What `REFERENCE_FRAME` holds. */
export const REFERENCE_TEXT = Array.from({ length: 40 }, (_, index) =>
  JSON.stringify({
    request_id: `r${index}`,
    tenant: `t${(index * 7) % 5}`,
    arrived_at: 1_772_446_504_127 + index * 13,
    cost: (index * 7919) % 1000,
  }),
)
  .map((line) => `${line}\n`)
  .join('');

export interface FrameOptions {
  readonly hasChecksum: boolean;
  readonly hasContentSize: boolean;
  /** The window is 2^(10 + this). */
  readonly windowExponent: number;
}

const USUAL: FrameOptions = { hasChecksum: true, hasContentSize: false, windowExponent: 10 };
const BLOCK_BYTES = 131_072;

function blockHeader(isLast: boolean, type: 0 | 1, size: number): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE(size * 8 + type * 2 + (isLast ? 1 : 0), 0, 3);
  return header;
}

/** A Zstandard frame (RFC 8878) of stored blocks: valid, if not small. */
export function storedFrame(content: Buffer, options: Partial<FrameOptions> = {}): Buffer {
  const { hasChecksum, hasContentSize, windowExponent } = { ...USUAL, ...options };
  const parts: Buffer[] = [
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, (hasContentSize ? 0x80 : 0) | (hasChecksum ? 4 : 0), windowExponent << 3]),
  ];
  if (hasContentSize) {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(content.length);
    parts.push(size);
  }
  for (let from = 0; ; from += BLOCK_BYTES) {
    const block = content.subarray(from, from + BLOCK_BYTES);
    const isLast = from + BLOCK_BYTES >= content.length;
    parts.push(blockHeader(isLast, 0, block.length), block);
    if (isLast) break;
  }
  if (hasChecksum) {
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(Number(literalXxh64(content) & 0xffffffffn));
    parts.push(checksum);
  }
  return Buffer.concat(parts);
}

/** A frame of `blocks` times 128 KiB of one byte, without a checksum: four bytes that become 131,072. */
export function repeatedFrame(byte: number, blocks: number): Buffer {
  const parts: Buffer[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 10 << 3])];
  for (let block = 1; block <= blocks; block++)
    parts.push(blockHeader(block === blocks, 1, BLOCK_BYTES), Buffer.from([byte]));
  return Buffer.concat(parts);
}

export function skippableFrame(content: Buffer): Buffer {
  const head = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}
