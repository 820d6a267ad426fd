import type { Store } from '../../runtime/store/store.ts'

/** The size of an ordinary object. */
export const objectBytes = 2048

/** Long enough for some hundred synced commits on a slow disk. */
export const createsMs = 1500

/** Creates per second by so many writers, each of which waits for its own. */
export async function creates(
  open: () => Promise<Store>,
  count: number,
  name = 'name',
): Promise<number> {
  const store = await open()
  const value = Buffer.alloc(objectBytes, 'x')
  const end = performance.now() + createsMs
  let written = 0
  const start = performance.now()
  const write = async (writer: number) => {
    for (let index = 0; performance.now() < end; index++) {
      await store.create(`/apps/deployments/ns-${writer}/${name}-${index}`, value)
      written += 1
    }
  }
  await Promise.all(Array.from({ length: count }, (_, writer) => write(writer)))
  const seconds = (performance.now() - start) / 1000
  await store.close()
  return written / seconds
}
