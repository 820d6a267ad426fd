/** How a run ended, and so when the next one is due. There are no others. */
export type Outcome =
  | { readonly is: 'done' }
  | { readonly is: 'again'; readonly ms: number; readonly why?: string }
  | { readonly is: 'failed'; readonly error: unknown }
  | { readonly is: 'terminal'; readonly why: string }

/** The world is as the object says: run again when something changes. */
export const done: Outcome = { is: 'done' }

/** Not there yet, and nothing went wrong: look again in `ms` milliseconds, or when something changes. */
export function again(ms: number, why?: string): Outcome {
  return why === undefined ? { is: 'again', ms } : { is: 'again', ms, why }
}

/** Something went wrong that may pass: run again, later each time. To throw says the same. */
export function failed(error: unknown): Outcome {
  return { is: 'failed', error }
}

/** The object itself is at fault: no run will help before it changes. */
export function terminal(why: string): Outcome {
  return { is: 'terminal', why }
}
