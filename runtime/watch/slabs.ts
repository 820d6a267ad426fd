/** Bytes of a slab: as long as one of its values lives, all of it does. */
const slabBytes = 64 * 1024

/** Longer values get memory of their own. */
const longestInSlab = slabBytes / 8

/** Gives memory for values that are made at once: many share one piece of it, which is a fraction of the cost of one for each. */
export function slabAllocator(): (bytes: number) => Buffer {
  let slab = Buffer.alloc(0)
  let used = 0
  return (bytes) => {
    if (bytes > longestInSlab) return Buffer.allocUnsafeSlow(bytes)
    if (used + bytes > slab.length) {
      slab = Buffer.allocUnsafeSlow(slabBytes)
      used = 0
    }
    used += bytes
    return slab.subarray(used - bytes, used)
  }
}
