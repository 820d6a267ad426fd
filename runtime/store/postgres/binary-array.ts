/** The types of elements, by the number that the database has for each. */
const elementTypes = { bytea: 17, bigint: 20, smallint: 21, text: 25 } as const

const headerBytes = 20

/**
 * An array as the database takes it in binary: nothing in it is escaped, and bytes stay bytes. Written by hand because every write
 * passes here: as text an array of bytes is twice as long.
 */
export function binaryArray(
  type: keyof typeof elementTypes,
  elements: readonly (Uint8Array | undefined)[],
): Buffer {
  const bytes = elements.reduce((sum, element) => sum + 4 + (element?.byteLength ?? 0), headerBytes)
  const array = Buffer.allocUnsafe(bytes)
  array.writeInt32BE(1, 0)
  array.writeInt32BE(elements.includes(undefined) ? 1 : 0, 4)
  array.writeInt32BE(elementTypes[type], 8)
  array.writeInt32BE(elements.length, 12)
  array.writeInt32BE(1, 16)
  let at = headerBytes
  for (const element of elements) {
    at = array.writeInt32BE(element?.byteLength ?? -1, at)
    if (element !== undefined) {
      array.set(element, at)
      at += element.byteLength
    }
  }
  return array
}

/** An element of `bigint`. */
export function bigintElement(value: number): Buffer {
  const element = Buffer.allocUnsafe(8)
  element.writeBigInt64BE(BigInt(value))
  return element
}

/** An element of `smallint`. */
export function smallintElement(value: number): Buffer {
  const element = Buffer.allocUnsafe(2)
  element.writeInt16BE(value)
  return element
}
