/** How much memory behind each value is free, of the memory of values that were read together. */
const rooms = new WeakMap<ArrayBufferLike, number>()

/** Says that behind each value in a piece of memory so many bytes are free, where it does not end before, and belong to who reads the value. */
export function leaveRoom(memory: ArrayBufferLike, bytes: number): void {
  rooms.set(memory, bytes)
}

/** Memory of so many bytes that begins where the value does, so that the value can be made longer in its place; undefined where there is no room. */
export function grown(value: Uint8Array, bytes: number): Buffer | undefined {
  const room = rooms.get(value.buffer)
  const end = value.byteOffset + bytes
  if (room === undefined || bytes > value.length + room || end > value.buffer.byteLength)
    return undefined
  return Buffer.from(value.buffer, value.byteOffset, bytes)
}
