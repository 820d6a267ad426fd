/** Looks at `read` until it gives something; fails, with the last error, when the deadline has passed. */
export async function until<T>(
  what: string,
  read: () => Promise<T | undefined | false> | T | undefined | false,
  deadlineMs = 5000,
): Promise<T> {
  const end = Date.now() + deadlineMs
  let last: unknown
  while (Date.now() < end) {
    try {
      const value = await read()
      if (value !== undefined && value !== false) return value
    } catch (error) {
      last = error
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`not within ${deadlineMs} ms: ${what}`, { cause: last })
}
