import type { Client } from '../client/client.ts'
import { type Clock, timestamp } from '../kernel/async/clock.ts'
import type {
  FlowControlFacts,
  FlowSchemaSpec,
  NamedSpec,
  PriorityLevelSpec,
} from '../kernel/descriptors/flow-control-facts.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import { hasSubresource } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import { createReport } from '../kernel/validation/field-error.ts'
import { deepEqual } from '../kernel/values/deep-equal.ts'
import { done, type KeyController, watching } from '../reconcile/reconcile.ts'
import { ignoreLostRace } from './contract/lost-race.ts'

/** The two kinds that Priority and Fairness goes by. */
export interface FlowControlKinds {
  readonly levels: AnyKind
  readonly schemas: AnyKind
}

/** The kinds of Priority and Fairness, if a scheme has them. */
export function flowControlKinds({ routes, platform }: Scheme): FlowControlKinds | undefined {
  const path = `apis/flowcontrol.apiserver.${platform.api}/v1`
  const kindAt = (plural: string) =>
    Object.hasOwn(routes, `${path}/${plural}`) ? routes[`${path}/${plural}`] : undefined
  const levels = kindAt('prioritylevelconfigurations')
  const schemas = kindAt('flowschemas')
  return levels && schemas && { levels, schemas }
}

interface WithUid {
  readonly uid: string
}

/** What the server limits requests by: the specs of stored objects. */
export interface FlowControlConfig {
  readonly priorityLevels: readonly (NamedSpec<PriorityLevelSpec> & WithUid)[]
  readonly flowSchemas: readonly (NamedSpec<FlowSchemaSpec> & WithUid)[]
}

/** Whose objects are kept, and what they configure. */
export interface FlowControlOptions {
  readonly kinds: FlowControlKinds
  readonly facts: FlowControlFacts
  /** Puts a configuration into force. */
  readonly configure: (config: FlowControlConfig) => void
}

/**
 * Priority and Fairness by stored objects. The facts' objects are made where they are missing; mandatory ones are kept as
 * the facts have them, suggested ones as long as their annotation says so; and whatever is stored is what the server
 * limits requests by, a moment after it was written.
 *
 *   reads    PriorityLevelConfiguration, FlowSchema
 *   writes   the same: create, update; FlowSchema: status
 *   wakes    when one of them changes
 *   settles  when the stored objects are in force and say whether they can be
 */
export function flowControlController(options: FlowControlOptions): KeyController {
  const all = [{ name: 'all' }]
  const { levels, schemas } = options.kinds
  return {
    name: 'flow-control',
    watches: [watching(levels, () => all), watching(schemas, () => all)],
    async reconcile(_, { client, clock }) {
      await syncFlowControl(options, client, clock)
      return done
    },
  }
}

/** Brings the objects of the facts into the store, and those of the store into force. */
export async function syncFlowControl(
  { kinds, facts, configure }: FlowControlOptions,
  client: Client,
  clock: Clock,
): Promise<void> {
  await Promise.all([
    ensureAll(client, kinds.levels, facts.priorityLevels, facts.annotation),
    ensureAll(client, kinds.schemas, facts.flowSchemas, facts.annotation),
  ])
  const levels = await client.resource<PriorityLevel>(kinds.levels).listAll()
  const schemas = await client.resource<FlowSchema>(kinds.schemas).listAll()
  const plan = decideFlowControl({ levels: levels.items, schemas: schemas.items }, facts)
  configure(plan.config)
  await Promise.all(
    plan.danglingChanged.map((one) => writeDangling(client, kinds.schemas, one, clock.now())),
  )
}

/** What this controller looks at of a PriorityLevelConfiguration. */
interface PriorityLevel extends ApiObject {
  readonly spec?: PriorityLevelSpec
}

/** What this controller looks at of a FlowSchema. */
interface FlowSchema extends ApiObject {
  readonly spec?: FlowSchemaSpec
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

/** A schema, and whether the level that it names is missing. */
export interface Dangling {
  readonly schema: Stored<FlowSchema>
  readonly level: string
  readonly isDangling: boolean
}

/** What is to be put into force, and which schemas are to say something else. */
export interface FlowControlPlan {
  readonly config: FlowControlConfig
  /** The schemas whose status does not say whether their level is there. */
  readonly danglingChanged: readonly Dangling[]
}

/** What the server goes by, and which schemas are to say that they name a level that is not there. */
export function decideFlowControl(
  {
    levels,
    schemas,
  }: {
    readonly levels: readonly Stored<PriorityLevel>[]
    readonly schemas: readonly Stored<FlowSchema>[]
  },
  facts: FlowControlFacts,
): FlowControlPlan {
  const names = new Set(levels.map(({ metadata }) => metadata.name))
  return {
    config: {
      priorityLevels: levels.map((one) => named(one, facts.priorityLevels)),
      flowSchemas: schemas.map((one) => named(one, facts.flowSchemas)),
    },
    danglingChanged: schemas
      .map((schema) => {
        const level = schema.spec?.priorityLevelConfiguration.name ?? ''
        return { schema, level, isDangling: !names.has(level) }
      })
      .filter(({ schema, isDangling }) => statusOf(schema) !== (isDangling ? 'True' : 'False')),
  }
}

/** A stored object as flow control takes it. */
function named<Spec>(
  { metadata: { name, uid }, spec }: Stored<ApiObject & { readonly spec?: Spec }>,
  facts: readonly NamedSpec<Spec>[],
): NamedSpec<Spec> & WithUid {
  const mandatory = facts.some((one) => one.mandatory && one.name === name)
  return { name, uid, mandatory, spec: spec ?? ({} as Spec) }
}

/** The status of the condition that says whether a schema's level is missing. */
function statusOf({ status }: Stored<FlowSchema>): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Dangling')?.status
}

/** Creates the missing objects of some facts, and brings those that follow them to their spec. */
async function ensureAll<Spec extends object>(
  client: Client,
  kind: AnyKind,
  facts: readonly NamedSpec<Spec>[],
  annotation: string,
): Promise<void> {
  const resource = client.resource<ApiObject & { readonly spec?: Spec }>(kind)
  const { items } = await resource.listAll()
  const stored = new Map(items.map((one) => [one.metadata.name, one]))
  await Promise.all(
    facts.map(async ({ name, mandatory, spec }) => {
      const known = stored.get(name)
      if (known === undefined) {
        const metadata = { name, annotations: { [annotation]: 'true' } }
        return ignoreLostRace(resource.create({ metadata, spec }))
      }
      const follows = known.metadata.annotations?.[annotation] === 'true'
      const kept = (mandatory || follows) && !hasSpec(kind, known, spec)
      if (kept) await ignoreLostRace(resource.update({ ...known, spec }))
    }),
  )
}

/** True if an object is as the spec makes it, defaults filled in. */
function hasSpec(kind: AnyKind, known: Stored<ApiObject>, spec: object): boolean {
  const wanted = kind.read({ ...known, spec }, createReport())
  return deepEqual(wanted, known)
}

/** Says in a schema's status whether its level is there. */
async function writeDangling(
  client: Client,
  kind: AnyKind,
  { schema, level, isDangling }: Dangling,
  now: number,
): Promise<void> {
  if (!hasSubresource(kind, 'status')) return
  const subject = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`
  const condition = {
    type: 'Dangling',
    status: isDangling ? 'True' : 'False',
    lastTransitionTime: timestamp(now),
    reason: isDangling ? 'NotFound' : 'Found',
    message: `${subject} ${isDangling ? 'but there is no such object' : 'and it exists'}`,
  }
  const others = schema.status?.conditions?.filter(({ type }) => type !== 'Dangling') ?? []
  const object = { ...schema, status: { conditions: [...others, condition] } }
  await ignoreLostRace(client.resource<FlowSchema>(kind).updateStatus(object))
}
