import { promisify } from 'node:util'
import { constants, deflateRaw, inflateRaw } from 'node:zlib'

/** Bytes that are kept and seldom asked for. */
export type KeptBytes = () => Promise<Uint8Array>

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** The bytes up to which nothing is gained by making them smaller. */
const smallBytes = 64 * 1024

/**
 * Keeps bytes: many of them deflated, which takes a tenth of schema documents. They are inflated in a thread of the engine's pool,
 * and stay as long as nothing else wants the memory, so that readers who come together share them.
 */
export async function keepBytes(bytes: Uint8Array): Promise<KeptBytes> {
  if (bytes.byteLength <= smallBytes) return asTheyAre(bytes)
  return inflated(await deflate(bytes, { level: constants.Z_BEST_SPEED }))
}

function asTheyAre(bytes: Uint8Array): KeptBytes {
  return () => Promise.resolve(bytes)
}

/** Apart from `keepBytes`, whose scope has the bytes themselves. */
function inflated(packed: Uint8Array): KeptBytes {
  let recent: WeakRef<Uint8Array> | undefined
  return async () => {
    const known = recent?.deref()
    if (known !== undefined) return known
    const made = await inflate(packed)
    recent = new WeakRef<Uint8Array>(made)
    return made
  }
}
