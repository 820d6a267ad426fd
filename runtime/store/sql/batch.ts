/** Most writes of one statement: a read waits no longer than one statement takes. */
export const maxBatchWrites = 256

/** Most bytes of their values. */
const batchBytes = 1024 * 1024

/** Takes what goes as one statement off the beginning of what waits: at least one write. */
export function takeBatch<W extends { readonly value?: Uint8Array | undefined }>(
  waiting: W[],
): W[] {
  let count = 0
  for (let bytes = 0; count < waiting.length && count < maxBatchWrites; count++) {
    bytes += waiting[count]?.value?.byteLength ?? 0
    if (count > 0 && bytes > batchBytes) break
  }
  return waiting.splice(0, count)
}
