/** Objects by the values that a function gives of each. */
export class ObjectIndex<T> {
  readonly #valuesOf: (object: T) => readonly string[]
  readonly #found = new Map<string, Map<string, T>>()

  constructor(valuesOf: (object: T) => readonly string[]) {
    this.#valuesOf = valuesOf
  }

  /** The objects that have `value` among their values. */
  find(value: string): readonly T[] {
    return [...(this.#found.get(value)?.values() ?? [])]
  }

  /** Puts the object of a key where its values say now: `before` and `after` are undefined where there is none. */
  move(key: string, before: T | undefined, after: T | undefined): void {
    if (before !== undefined) for (const value of this.#valuesOf(before)) this.#drop(value, key)
    if (after !== undefined) for (const value of this.#valuesOf(after)) this.#put(value, key, after)
  }

  #put(value: string, key: string, object: T): void {
    const objects = this.#found.get(value) ?? new Map<string, T>()
    this.#found.set(value, objects.set(key, object))
  }

  #drop(value: string, key: string): void {
    const objects = this.#found.get(value)
    objects?.delete(key)
    if (objects?.size === 0) this.#found.delete(value)
  }
}
