/**
 * A program for the crash tests: writes to the store at the location it is given until it is killed, and prints every
 * acknowledged write as `revision op key value`.
 */
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { openStore, parseStoreLocation } from '../../runtime/store/store.ts'

const [location = '', generation = ''] = process.argv.slice(2)
const store = await openStore(parseStoreLocation(location)!, { clock: systemClock })

async function write(writer: number): Promise<void> {
  for (let round = 0; ; round++) {
    const key = `/k/${generation}-${writer}-${round % 5}`
    const known = await store.get(key)
    const value = `${generation}-${writer}-${round}`
    if (known === undefined) {
      const { revision } = await store.create(key, Buffer.from(value))
      console.log(`${revision} create ${key} ${value}`)
    } else if (round % 3 === 0) {
      const { revision } = await store.delete(key, known.revision)
      console.log(`${revision} delete ${key} -`)
    } else {
      const { revision } = await store.update(key, known.revision, Buffer.from(value))
      console.log(`${revision} update ${key} ${value}`)
    }
  }
}

await Promise.all(Array.from({ length: 16 }, (_, writer) => write(writer)))
