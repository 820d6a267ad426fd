/**
 * What a configuration module sees of the world, and what is taken of it. The function is sent as a text into a context that has nothing
 * of this process: it uses the language alone.
 */

/** What stands for a value of the module in what it gives: the value, and its places. */
export type Exported = readonly [value: unknown, places: ExportedPlaces | null]

/** A place as `[line, column]` of the script, and those of the parts. */
export interface ExportedPlaces {
  readonly a?: readonly [number, number]
  readonly p?: Readonly<Record<string, ExportedPlaces>>
}

/** Makes the world of a module. It is called in the context, with the tables of the script and the most steps that loops take. */
export function prepare(
  literals: readonly {
    readonly at: readonly [number, number]
    readonly keys: Readonly<Record<string, readonly [number, number]>>
    readonly spreads: number
  }[],
  lists: readonly (readonly (readonly [number, number])[])[],
  most: number,
) {
  const world = globalThis as unknown as Record<string, unknown>
  const of = new WeakMap<object, readonly ['literal' | 'list', number, readonly object[]]>()
  const pending: object[] = []
  const state = { loop: -1, steps: 0, lines: [] as string[] }
  world.$at = (id: number, object: object) => {
    const { spreads } = literals[id] as { spreads: number }
    const sources = spreads === 0 ? [] : pending.splice(pending.length - spreads, spreads)
    of.set(object, ['literal', id, sources])
    return object
  }
  world.$in = (id: number, list: object) => {
    of.set(list, ['list', id, []])
    return list
  }
  world.$from = (object: unknown) => {
    pending.push(typeof object === 'object' && object !== null ? object : {})
    return object
  }
  world.$tick = (loop: number) => {
    state.loop = loop
    if (++state.steps > most) throw new Error('loops take too many steps')
  }
  const refuse = (what: string, remedy: string) => () => {
    throw new Error(`${what} would make another result each time; ${remedy}`)
  }
  Math.random = refuse('Math.random', 'derive what has to differ from names') as () => number
  const clock = 'state the time as a text, such as new Date("2027-01-31T00:00:00Z")'
  const Real = Date
  const Fixed = new Proxy(Real, {
    construct(target, args) {
      if (args.length === 0) refuse('new Date() without a time', clock)()
      return Reflect.construct(target, args)
    },
    apply: refuse('Date()', clock),
  })
  Real.now = refuse('Date.now', clock) as () => number
  Object.defineProperty(Real.prototype, 'constructor', { value: Fixed })
  world.Date = Fixed
  for (const name of ['WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer', 'Atomics']) {
    delete world[name]
  }
  const say = (...args: unknown[]) => {
    if (state.lines.length < 1000) state.lines.push(args.map((one) => String(one)).join(' '))
  }
  world.console = { debug: say, error: say, info: say, log: say, warn: say }

  /** A property of an object, wherever it was stated first. */
  const placeOf = (
    object: object,
    key: string,
    depth = 0,
  ): readonly [number, number] | undefined => {
    const known = of.get(object)
    if (known === undefined || depth > 100) return undefined
    const [is, id, sources] = known
    if (is === 'list') return lists[id]?.[Number(key)]
    const own = literals[id]?.keys[key]
    if (own !== undefined) return own
    for (let at = sources.length - 1; at >= 0; at--) {
      const source = sources[at] as object
      if (Object.hasOwn(source, key)) return placeOf(source, key, depth + 1)
    }
    return undefined
  }

  const taken = (
    value: unknown,
    path: string,
    open: readonly object[],
  ): readonly [unknown, object | null] => {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') {
      return [value, null]
    }
    if (typeof value === 'number') {
      if (Number.isFinite(value)) return [value, null]
      throw new TypeError(`${path} is ${value}, which JSON has no form for`)
    }
    if (typeof value !== 'object')
      throw new TypeError(`${path} is a ${typeof value}; export data, and call functions yourself`)
    if (value instanceof Promise)
      throw new TypeError(`${path} is a promise; modules are evaluated without waiting`)
    if (value instanceof Real) return [value.toISOString(), null]
    if (open.includes(value)) throw new TypeError(`${path} is a circle: it holds itself`)
    if (open.length > 200) throw new TypeError(`${path} is nested too deeply`)
    const known = of.get(value)
    const at = known?.[0] === 'literal' ? literals[known[1]]?.at : undefined
    const within = [...open, value]
    const result: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {}
    const parts: Record<string, object> = {}
    for (const key of Object.keys(value)) {
      const part = (value as Record<string, unknown>)[key]
      if (part === undefined) continue
      const [given, places] = taken(part, path === '' ? key : `${path}.${key}`, within)
      const here = placeOf(value, key)
      const put = (on: object, what: unknown) =>
        Object.defineProperty(on, key, {
          value: what,
          enumerable: true,
          writable: true,
          configurable: true,
        })
      put(result, given)
      if (places !== null || here) put(parts, { ...places, ...(here && { a: here }) })
    }
    return [result, { ...(at && { a: at }), p: parts }]
  }

  return {
    state,
    /** The default export, or all others. */
    take(module: Record<string, unknown>): string {
      const names = 'default' in module ? ['default'] : Object.keys(module)
      return JSON.stringify(
        names.map((name) =>
          taken(module[name], name === 'default' ? 'the default export' : name, []),
        ),
      )
    },
  }
}
