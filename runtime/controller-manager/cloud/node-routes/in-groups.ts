import { errorText } from '../../../kernel/errors/error-text.ts'

/** Does something with each item, so many at a time, whatever becomes of the others; gives what failed. */
export async function inGroups<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const failures: unknown[] = []
  for (let start = 0; start < items.length; start += width) {
    const settled = await Promise.allSettled(items.slice(start, start + width).map(work))
    failures.push(...settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])))
  }
  return failures
}

/** So many failures are named. */
const named = 3

/** Several failures as one. */
export function together(failures: readonly unknown[]): unknown {
  if (failures.length === 1) return failures[0]
  const more = failures.length - named
  const texts = [...failures.slice(0, named).map(errorText), ...(more > 0 ? [`${more} more`] : [])]
  return new AggregateError(failures, texts.join('; '))
}
