/** Loads each value of a table by its name. */
export type Loaders<T> = ReadonlyMap<string, () => Promise<T>>

/** A table of values by modules that export them: each key holds the names of one module's exports. */
export function loadersOf<T>(modules: Readonly<Record<string, () => Promise<object>>>): Loaders<T> {
  return new Map(
    Object.entries(modules).flatMap(([names, load]) =>
      names
        .split(' ')
        .map((name) => [name, async () => (await load())[name as keyof object] as T] as const),
    ),
  )
}
