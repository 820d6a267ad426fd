import { addressAt, parseRange, type Range } from '../../kernel/values/ip-ranges.ts'

/** The addresses of the pods of a node: none has one that another one has. */
export class NodeAddresses {
  #range: Range
  readonly #byPod = new Map<string, string>()
  readonly #taken = new Set<string>()
  #next = 0

  constructor(range: string) {
    this.#range = rangeOf(range)
  }

  /** From now on addresses are of this range. */
  setRange(text: string): void {
    this.#range = rangeOf(text)
  }

  /** A pod has an address already. */
  keep(uid: string, address: string): void {
    this.#byPod.set(uid, address)
    this.#taken.add(address)
  }

  /** The address of a pod, which keeps it; undefined if all are taken. The first two of a range and its last are no pod's. */
  of(uid: string): string | undefined {
    const known = this.#byPod.get(uid)
    if (known !== undefined) return known
    const size = Math.min(2 ** (widthOf(this.#range) - this.#range.bits), 65_536) - 3
    for (let tried = 0; tried < size; tried++) {
      const address = addressAt(this.#range, 2 + (this.#next++ % size))
      if (this.#taken.has(address)) continue
      this.keep(uid, address)
      return address
    }
    return undefined
  }

  /** The pod needs no address any more. */
  release(uid: string): void {
    const address = this.#byPod.get(uid)
    if (address === undefined) return
    this.#byPod.delete(uid)
    this.#taken.delete(address)
  }
}

function widthOf({ family }: Range): number {
  return family === 4 ? 32 : 128
}

function rangeOf(text: string): Range {
  const range = parseRange(text)
  if (range === undefined) throw new RangeError(`${text} is no range of addresses`)
  return range
}
