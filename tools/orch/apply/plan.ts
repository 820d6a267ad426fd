/** What an apply would do, worked out by the server in a dry run. */
import { readFile } from 'node:fs/promises'
import type { Client, DynamicObject } from '../../../runtime/client/client.ts'
import { isStatus } from '../../../runtime/kernel/errors/status-error.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'
import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import { changedValues } from '../../../runtime/reconcile/reconcile.ts'
import { type ApplySet, contentsOf, leftOver, partOf } from './apply-set.ts'
import { definedIn, type Wanted, wantedOf } from './objects.ts'

/** A field that changes, and whose it is now. */
export interface FieldChange {
  readonly path: string
  readonly before?: unknown
  readonly after?: unknown
  readonly owners: readonly string[]
}

/** What is done to one object. */
export interface Action {
  readonly does: 'create' | 'change' | 'delete' | 'nothing'
  readonly wanted: Wanted
  /** As it is now. */
  readonly live?: Stored<DynamicObject>
  readonly changes: readonly FieldChange[]
  /** Why the server refuses it unless fields are taken from other managers. */
  readonly conflict?: string
}

/** By whom and how it is applied. */
export interface PlanOptions {
  readonly manager: string
  readonly force: boolean
  readonly namespace: string
  readonly set?: ApplySet
  readonly prune: boolean
  /** Conflicts with other managers are part of what is told, and no failure. */
  readonly showConflicts?: boolean
}

/** The most fields that are told of an object. */
const most = 1000

/** What applying the objects would do. @throws Error that names each object which the server refuses. */
export async function planOf(
  client: Client,
  objects: readonly JsonObject[],
  options: PlanOptions,
): Promise<readonly Action[]> {
  const { set, prune, namespace } = options
  const wanted: Wanted[] = []
  const defined = definedIn(objects)
  for (const object of objects) {
    wanted.push(await wantedOf(client, labelled(object, set), namespace, defined))
  }
  const actions: Action[] = []
  const refused: string[] = []
  for (const one of wanted) {
    try {
      actions.push(await actionOf(one, wanted, options))
    } catch (error) {
      if (!isStatus(error)) throw error
      const hint = isStatus(error, 'Conflict') ? '; --force-conflicts takes the fields' : ''
      refused.push(`${one.title}: ${error.message}${hint}`)
    }
  }
  if (refused.length > 0) throw new Error(refused.join('\n'))
  if (set === undefined || !prune) return actions
  const gone = await leftOver(client, set, await contentsOf(client, set), wanted)
  for (const one of [...gone].reverse()) {
    const live = await one.resource.find(one.key)
    if (live !== undefined) actions.push({ does: 'delete', wanted: one, live, changes: [] })
  }
  return actions
}

/** Members of a set say so. */
function labelled(object: JsonObject, set: ApplySet | undefined): JsonObject {
  if (set === undefined) return object
  const metadata = object.metadata as JsonObject
  const labels = { ...(metadata.labels as JsonObject | undefined), [partOf]: set.id }
  return { ...object, metadata: { ...metadata, labels } }
}

async function actionOf(
  wanted: Wanted,
  all: readonly Wanted[],
  options: PlanOptions,
): Promise<Action> {
  const { manager, force, showConflicts } = options
  const { resource, key, config } = wanted
  if (wanted.isDefined) return { does: 'create', wanted, changes: [] }
  const live = await resource.find(key)
  try {
    const after = await resource.apply(config as never, { dryRun: true, manager, force })
    if (live === undefined) return { does: 'create', wanted, changes: [] }
    const changes = changesOf(live, after)
    return { does: changes.length === 0 ? 'nothing' : 'change', wanted, live, changes }
  } catch (error) {
    if (showConflicts && !force && isStatus(error, 'Conflict')) {
      const forced = await actionOf(wanted, all, { ...options, force: true })
      return { ...forced, conflict: error.message }
    }
    const isNew = all.some(
      (one) => one.resource.kind.kind === 'Namespace' && one.key.name === key.namespace,
    )
    if (live === undefined && isNew && isStatus(error, 'NotFound')) {
      return { does: 'create', wanted, changes: [] }
    }
    throw error
  }
}

/** Every field that differs, with the managers that it has now. */
function changesOf(
  live: Stored<DynamicObject>,
  after: Stored<DynamicObject>,
): readonly FieldChange[] {
  return changedValues(after, live, most).map(({ path, before, after, managers }) => ({
    path,
    ...(after !== undefined && { before: after }),
    ...(before !== undefined && { after: before }),
    owners: managers,
  }))
}

/** A plan as a file. */
interface PlanFile {
  readonly version: 1
  readonly manager: string
  readonly force: boolean
  readonly applySet?: string
  readonly prune: boolean
  readonly namespace: string
  readonly actions: readonly {
    readonly does: Action['does']
    readonly object: JsonObject
    /** Empty for an object that is not there. */
    readonly resourceVersion: string
    readonly changes: readonly FieldChange[]
  }[]
}

/** The text of a plan that is applied later. */
export function planText(
  actions: readonly Action[],
  options: PlanOptions,
  applySet: string | undefined,
): string {
  const { manager, force, prune, namespace } = options
  const file: PlanFile = {
    version: 1,
    ...{ manager, force, prune, namespace },
    ...(applySet !== undefined && { applySet }),
    actions: actions.map(({ does, wanted, live, changes }) => ({
      does,
      object: does === 'delete' ? namedOnly(wanted.config) : wanted.config,
      resourceVersion: live?.metadata.resourceVersion ?? '',
      changes,
    })),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

function namedOnly({ apiVersion, kind, metadata }: JsonObject): JsonObject {
  const { name, namespace } = metadata as JsonObject
  return { apiVersion, kind, metadata: { name, ...(namespace && { namespace }) } } as JsonObject
}

/** A plan of a file. @throws Error for what is none. */
export async function readPlan(file: string): Promise<PlanFile> {
  const plan = parsedPlan(await readFile(file, 'utf8'))
  if (plan?.version !== 1 || !Array.isArray(plan.actions)) {
    throw new Error(`${file}: it is no plan of orch apply --plan-out`)
  }
  return plan
}

function parsedPlan(text: string): PlanFile | undefined {
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    return undefined
  }
}

/** The actions of a plan against the world as it is, and what moved since. */
export async function replan(
  client: Client,
  plan: PlanFile,
): Promise<{ readonly actions: readonly Action[]; readonly moved: readonly string[] }> {
  const actions: Action[] = []
  const moved: string[] = []
  const defined = definedIn(plan.actions.map(({ object }) => object))
  for (const { does, object, resourceVersion, changes } of plan.actions) {
    const wanted = await wantedOf(client, object, plan.namespace, defined)
    const live = wanted.isDefined ? undefined : await wanted.resource.find(wanted.key)
    const now = live?.metadata.resourceVersion ?? ''
    if (now !== resourceVersion) {
      const was = resourceVersion === '' ? 'was not there' : `was at ${resourceVersion}`
      moved.push(`${wanted.title} ${was} and ${now === '' ? 'is gone' : `is at ${now}`}`)
    }
    actions.push({ does, wanted, ...(live && { live }), changes })
  }
  return { actions, moved }
}
