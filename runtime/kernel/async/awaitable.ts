/** A value or a promise of it. Hot paths pass a value on without the microtask that awaiting it would cost. */
export type Awaitable<T> = T | Promise<T>

/** Calls `next` with the value: synchronously if it is no promise. */
export function chainAwaitable<T, R>(
  value: Awaitable<T>,
  next: (value: T) => Awaitable<R>,
): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
