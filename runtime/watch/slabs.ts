/** Bytes of a slab: as long as one of its values lives, all of it does. */
const slabBytes = 64 * 1024

/** Longer values get memory of their own. */
const longestInSlab = slabBytes / 8

/** Gives memory for values that are made at once: many share one piece of it, which is a fraction of the cost of one for each. */
export function slabAllocator(): (bytes: number) => Buffer {
  let slab = Buffer.alloc(0)
  return (bytes) => {
    if (bytes > longestInSlab) return Buffer.allocUnsafeSlow(bytes)
    if (bytes > slab.length) slab = Buffer.allocUnsafeSlow(slabBytes)
    const part = slab.subarray(0, bytes)
    slab = slab.subarray(bytes)
    return part
  }
}
