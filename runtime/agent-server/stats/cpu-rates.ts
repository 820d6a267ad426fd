/** How much of a processor counters of processor time stand for. */
export class CpuRates {
  readonly #before = new Map<
    string,
    { readonly at: number; readonly total: number; rate: number }
  >()

  /** Billionths of a processor since the counter was seen last; undefined for one that was not. Counters that are gone are forgotten by `keepOnly`. */
  rateOf(id: string, at: number, total: number): number | undefined {
    const before = this.#before.get(id)
    if (before !== undefined && at <= before.at) return before.rate
    const rate =
      before === undefined
        ? Number.NaN
        : Math.max(0, Math.round(((total - before.total) / (at - before.at)) * 1000))
    this.#before.set(id, { at, total, rate })
    return Number.isNaN(rate) ? undefined : rate
  }

  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#before.keys()) if (!ids.has(id)) this.#before.delete(id)
  }
}
