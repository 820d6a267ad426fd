/** Lets everything else that waits have its turn: long work is done in parts with this between them. */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Text beyond this makes steps that others should not have to wait for all together. */
const largeBytes = 128 * 1024

/** True if work on so much text is done in turns. */
export function isLarge(bytes: number): boolean {
  return bytes > largeBytes
}
