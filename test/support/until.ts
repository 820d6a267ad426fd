import { hangMs } from './deadline.ts'

/** Looks at `read` until it gives something, which an empty text is not; fails, with the last error, when it hangs. */
export async function until<T>(
  what: string,
  read: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const end = Date.now() + hangMs
  let last: unknown
  while (Date.now() < end) {
    try {
      const value = await read()
      if (value !== undefined && value !== false && value !== '') return value
    } catch (error) {
      last = error
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`not within ${hangMs} ms: ${what}`, { cause: last })
}
