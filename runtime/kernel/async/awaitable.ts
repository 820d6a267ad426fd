/** What is there now, or will be: hot paths pass on what is there without waiting a turn for it. */
export type Awaitable<T> = T | Promise<T>

/** Goes on with a value: at once if it is there, else when it comes. */
export function chainAwaitable<T, R>(
  value: Awaitable<T>,
  next: (value: T) => Awaitable<R>,
): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
