/** Values by key, of which the ones that were not set for longest are forgotten. */
export class Recent<V> {
  readonly #values = new Map<string, V>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** The value of a key, made if there is none. */
  get(key: string, make: () => V): V {
    const value = this.#values.get(key) ?? make()
    this.set(key, value)
    return value
  }

  has(key: string): boolean {
    return this.#values.has(key)
  }

  /** The value of a key; undefined if there is none. */
  find(key: string): V | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: V): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size <= this.#most) return
    const [oldest] = this.#values.keys()
    if (oldest !== undefined) this.#values.delete(oldest)
  }

  delete(key: string): void {
    this.#values.delete(key)
  }
}
