import type { FastifyReply, FastifyRequest } from 'fastify';
import { intakeBusy } from './http-input-error.ts';

/**
 * How many bytes of bodies, as they came and unpacked, may be held at a time by all requests together: whatever many
 * senders do, memory stays bounded, and those who come too much are told to wait.
 */
export class BodyBudget {
  readonly #maxBytes: number;
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** One request's share, empty yet; to be given back once. */
  open(): BodyShare {
    let ownBytes = 0;
    return {
      take: (bytes) => {
        // Whoever is alone gets through, whatever its size: each body has a limit of its own.
        if (this.#heldBytes > ownBytes && this.#heldBytes + bytes > this.#maxBytes) throw intakeBusy();
        ownBytes += bytes;
        this.#heldBytes += bytes;
      },
      giveBack: () => {
        this.#heldBytes -= ownBytes;
        ownBytes = 0;
      },
    };
  }
}

export interface BodyShare {
  /** @throws EVS_BUSY (retryable) when that would be too much. */
  take(bytes: number): void;
  /** Idempotent. */
  giveBack(): void;
}

/**
 * Takes the room for a request's body before any of it is read, and gives all of the request's room back when its
 * connection is done with it. A body of unannounced length takes what it may come to.
 */
export function reserveBody(
  budget: BodyBudget,
  maxBodyBytes: number,
  request: FastifyRequest,
  reply: FastifyReply,
): BodyShare {
  const share = budget.open();
  const announced = request.headers['content-length'];
  const bytes = announced === undefined ? maxBodyBytes : Number(announced);
  // Over the limit it will be refused unread.
  if (bytes <= maxBodyBytes) share.take(bytes);
  reply.raw.once('close', share.giveBack);
  return share;
}
