/** Makes those topics that are not there; leaves the others as they are. */
export function createTopics(bootstrap: string, topics: readonly string[], partitions: number): Promise<void>;
