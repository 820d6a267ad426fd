import type { Kind } from '../kernel/descriptors/kind.ts'
import { type ApiObject, apiVersionOf, type Stored } from '../kernel/meta/object.ts'
import type { ControllerGraph } from '../reconcile/reconcile.ts'
import { parseTrustedJson } from '../serializer/serializer.ts'
import type { Entry } from '../store/store.ts'
import { type FieldChange, fieldChanges, fieldChangeText } from './field-changes.ts'
import { withoutServerFields } from './server-fields.ts'

/** What would become of one object. */
export type PlannedChange<T extends ApiObject = ApiObject> =
  | { readonly is: 'create'; readonly object: Stored<T> }
  | {
      readonly is: 'update'
      readonly object: Stored<T>
      readonly before: Stored<T>
      /** What differs, without what servers fill in. */
      readonly fields: readonly FieldChange[]
    }
  | { readonly is: 'delete'; readonly object: Stored<T> }

/** What controllers would write. */
export interface Plan {
  /** Every object that would change, by kind and name. */
  readonly changes: readonly PlannedChange[]
  /** Those of one kind. */
  of<T extends ApiObject>(kind: Kind<T>): readonly PlannedChange<T>[]
  /** What went wrong in runs: each would be tried again. */
  readonly problems: readonly string[]
  /** Which controller wakes which, as they declare it. */
  readonly graph: ControllerGraph
  /** The plan for people: a paragraph an object. */
  readonly text: string
}

type Entries = ReadonlyMap<string, Entry>

/** The plan that leads from the entries before to those after. Entries that are the same in both were not written. */
export function planOf(
  before: Entries,
  after: Entries,
  problems: readonly string[],
  graph: ControllerGraph,
): Plan {
  const changes = [...changesOf(before, after)].sort(byObject)
  return {
    changes,
    of: <T extends ApiObject>(kind: Kind<T>) =>
      changes.filter(
        ({ object }) => object.kind === kind.kind && object.apiVersion === apiVersionOf(kind),
      ) as unknown as readonly PlannedChange<T>[],
    ...{ problems, graph },
    text: planText(changes, problems, graph),
  }
}

function* changesOf(before: Entries, after: Entries): Generator<PlannedChange> {
  for (const [key, entry] of after) {
    const known = before.get(key)
    if (known === entry) continue
    const object = objectOf(entry)
    if (object === undefined) continue
    const replaced = known && objectOf(known)
    if (replaced === undefined) yield { is: 'create', object }
    else yield* updateOf(replaced, object)
  }
  for (const [key, entry] of before) {
    const object = after.has(key) ? undefined : objectOf(entry)
    if (object !== undefined) yield { is: 'delete', object }
  }
}

/** Another object under the same name is a deletion and a creation. */
function* updateOf(before: Stored<ApiObject>, object: Stored<ApiObject>): Generator<PlannedChange> {
  if (before.metadata.uid !== object.metadata.uid) {
    yield { is: 'delete', object: before }
    yield { is: 'create', object }
    return
  }
  const fields = fieldChanges(withoutServerFields(before), withoutServerFields(object))
  if (fields.length > 0) yield { is: 'update', object, before, fields }
}

/** Undefined for what a store keeps beside objects, such as who has which address. */
function objectOf({ value }: Entry): Stored<ApiObject> | undefined {
  const parsed = parseTrustedJson(value) as Partial<Stored<ApiObject>>
  return parsed.metadata?.name === undefined ? undefined : (parsed as Stored<ApiObject>)
}

function byObject(one: PlannedChange, other: PlannedChange): number {
  const [a, b] = [subjectOf(one), subjectOf(other)]
  return a < b ? -1 : a > b ? 1 : 0
}

function subjectOf({ object: { kind, metadata } }: PlannedChange): string {
  const { namespace, name } = metadata as { readonly namespace?: string; readonly name: string }
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`
}

function planText(
  changes: readonly PlannedChange[],
  problems: readonly string[],
  { findings }: ControllerGraph,
): string {
  const paragraphs = changes.map((change) =>
    [`${change.is} ${subjectOf(change)}`, ...linesOf(change)].join('\n    '),
  )
  const failed = problems.map((problem) => `problem: ${problem}`)
  const all = [...paragraphs, ...failed]
  const warnings = findings.filter(({ is }) => is === 'warning')
  const told = warnings.map(({ is, message }) => `${is}: ${message}`)
  return `${[...(all.length === 0 ? ['nothing to write'] : all), ...told].join('\n')}\n`
}

/** What an update changes, and what a new object has beside its name. */
function linesOf(change: PlannedChange): readonly string[] {
  if (change.is === 'delete') return []
  if (change.is === 'update') return change.fields.map(fieldChangeText)
  const { apiVersion, kind, metadata } = change.object
  const { name, namespace } = metadata as { readonly name: string; readonly namespace?: string }
  const bare = {
    apiVersion,
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
  }
  const fields = fieldChanges(bare, withoutServerFields(change.object))
  return fields.map(({ path, after }) => `${path}: ${JSON.stringify(after)}`)
}
