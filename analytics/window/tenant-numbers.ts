/** Tenants by the numbers that the fluid model gives them, from 0, and back. */
export class TenantNumbers {
  readonly names: readonly string[];
  readonly #numberOf = new Map<string, number>();
  /** Whom one asks for is mostly the one asked for last, or the next: with a million, looking it up takes ten times as long. */
  #last = 0;

  /** @param names in the order of their numbers, each once. */
  constructor(names: readonly string[]) {
    this.names = names;
    for (let number = 0; number < names.length; number++) this.#numberOf.set(names[number] ?? '', number);
  }

  get size(): number {
    return this.names.length;
  }

  /** -1: it has none. */
  of(name: string): number {
    const last = this.#last;
    if (this.names[last] === name) return last;
    const number = this.names[last + 1] === name ? last + 1 : (this.#numberOf.get(name) ?? -1);
    if (number !== -1) this.#last = number;
    return number;
  }
}
