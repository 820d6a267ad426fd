import fc from 'fast-check'
import {
  type ApplyResult,
  applyConfig,
  type FieldSet,
  type Managers,
  printFields,
  trackWrite,
  type VersionView,
  type VersionViews,
} from '../../../runtime/apply/apply.ts'
import type { MergeStrategy } from '../../../runtime/kernel/descriptors/kind.ts'
import type { JsonObject } from '../../../runtime/kernel/values/json.ts'

/** A type in which every way of merging stands once. */
export const shape: MergeStrategy = {
  fields: {
    items: {
      list: 'map',
      keys: ['name'],
      items: {
        fields: {
          ports: { list: 'map', keys: ['port', 'protocol'], defaults: { protocol: 'TCP' } },
          tags: { list: 'set' },
          selector: { map: 'atomic' },
        },
      },
    },
    tags: { list: 'set' },
    args: { list: 'atomic' },
    selector: { map: 'atomic' },
    nested: { map: 'granular', items: {} },
    merged: { patch: ['merge'], patchKey: 'id' },
    names: { patch: ['merge'] },
  },
}

/** The view of a version whose merge facts are `merge`. */
export function viewOf(
  merge: MergeStrategy,
  ignored?: (fields: FieldSet) => FieldSet,
): VersionView {
  return { merge, restrict: ignored ?? ((fields) => fields), convert: (object) => object }
}

export const views: VersionViews = (version) => (version === 'v1' ? viewOf(shape) : undefined)

/** One object with its managers, and what can be done to it. */
export interface Scene {
  readonly object: JsonObject
  readonly managers: Managers
}

export const empty: Scene = { object: {}, managers: [] }

export interface Doing {
  readonly views?: VersionViews
  readonly version?: string
  readonly now?: string
  readonly subresource?: string
}

const start = '2024-01-01T00:00:00Z'

export function tryApply(
  scene: Scene,
  manager: string,
  config: JsonObject,
  { force = false, ...how }: Doing & { readonly force?: boolean } = {},
): ApplyResult {
  return applyConfig({
    live: scene.object,
    managers: scene.managers,
    config,
    writer: writer(manager, how),
    force,
    empty: {},
    views: how.views ?? views,
    now: how.now ?? start,
  })
}

/** Applies; fails on conflicts and problems. */
export function apply(
  scene: Scene,
  manager: string,
  config: JsonObject,
  how?: Doing & { readonly force?: boolean },
): Scene {
  const applied = tryApply(scene, manager, config, how)
  if ('object' in applied) return applied
  throw new Error(`refused: ${JSON.stringify(applied)}`)
}

/** Writes the object whole. */
export function write(scene: Scene, manager: string, object: JsonObject, how: Doing = {}): Scene {
  const { managers, object: before } = scene
  const now = how.now ?? start
  return {
    object,
    managers: trackWrite(managers, before, object, writer(manager, how), how.views ?? views, now),
  }
}

function writer(manager: string, { version = 'v1', subresource }: Doing) {
  return { manager, apiVersion: version, ...(subresource && { subresource }) }
}

/** Who manages what, by name: `{ ann: ['.a', '.b[name="x"]'] }`. */
export function managed({ managers }: Scene): Record<string, readonly string[]> {
  return Object.fromEntries(managers.map(({ manager, fields }) => [manager, printFields(fields)]))
}

const word = fc.constantFrom('a', 'b', 'c', '<&>', '__proto__', 'x.y/z')
const scalar = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.constantFrom('p', 'q', 'é'),
  fc.boolean(),
)
const scalars = fc.dictionary(word, scalar, { maxKeys: 3 }).map((found) => ({ ...found }))

function keyed(item: fc.Arbitrary<Record<string, unknown>>, key: string, prefix: string) {
  const names = fc.uniqueArray(fc.constantFrom('1', '2', '3'), { maxLength: 3 })
  return names.chain((all) =>
    fc.tuple(...all.map((name) => item.map((rest) => ({ [key]: `${prefix}${name}`, ...rest })))),
  )
}

const port = fc
  .uniqueArray(fc.constantFrom(80, 443, 9), { maxLength: 3 })
  .map((ports) =>
    ports.map((number) => ({ port: number, ...(number === 80 && { protocol: 'UDP' }) })),
  )
const tags = fc.uniqueArray(fc.constantFrom('r', 's', 't'), { maxLength: 3 })

/** A value of the type; two with different prefixes have no list item in common. */
export function valueArbitrary(prefix = ''): fc.Arbitrary<JsonObject> {
  const item = fc.record(
    { image: scalar, ports: port, tags, selector: scalars },
    { requiredKeys: [] },
  )
  const fields = {
    items: keyed(item, 'name', prefix),
    tags: tags.map((all) => all.map((tag) => prefix + tag)),
    args: fc.array(scalar, { maxLength: 3 }),
    selector: scalars,
    nested: fc.dictionary(word, scalars, { maxKeys: 2 }),
    merged: keyed(scalars, 'id', prefix),
    names: tags.map((all) => all.map((tag) => prefix + tag)),
    labels: scalars,
    count: scalar,
    deep: fc.record({ er: scalars, est: scalar }, { requiredKeys: [] }),
  }
  return fc.record(fields, { requiredKeys: [] }) as unknown as fc.Arbitrary<JsonObject>
}
