import { type Clock, pause, timestamp } from '../kernel/async/clock.ts'
import type {
  FlowControlFacts,
  FlowSchemaSpec,
  NamedSpec,
  PriorityLevelSpec,
} from '../kernel/descriptors/flow-control-facts.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import { isStatus } from '../kernel/errors/status-error.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import type { Log } from '../observe/observe.ts'
import type { Body, Registry } from '../registry/registry.ts'
import type { FlowConfig } from '../server/server.ts'

/** The two kinds that flow control goes by, where a tree has them. */
export interface FlowKinds {
  readonly levels: AnyKind
  readonly schemas: AnyKind
}

export function flowKinds({ routes, platform }: Scheme): FlowKinds | undefined {
  const path = `apis/flowcontrol.apiserver.${platform.api}/v1`
  const levels = Object.hasOwn(routes, `${path}/prioritylevelconfigurations`)
    ? routes[`${path}/prioritylevelconfigurations`]
    : undefined
  const schemas = Object.hasOwn(routes, `${path}/flowschemas`)
    ? routes[`${path}/flowschemas`]
    : undefined
  return levels && schemas && { levels, schemas }
}

export interface FlowControlControllerOptions {
  readonly registry: Registry
  readonly kinds: FlowKinds
  readonly facts: FlowControlFacts
  readonly clock: Clock
  readonly log: Log
  readonly configure: (config: FlowConfig) => void
}

/**
 * Flow control by stored objects. The facts' objects are made where they are missing; mandatory ones are kept as the facts
 * have them, suggested ones as long as their annotation says so; and whatever stands in the store is what the server goes
 * by, a moment after it was written.
 */
export class FlowControlController {
  readonly #options: FlowControlControllerOptions
  readonly #manager: string

  constructor(options: FlowControlControllerOptions) {
    this.#options = options
    this.#manager = `${options.registry.scheme.platform.prefix}-apiserver`
  }

  /** Brings the objects of the facts into the store, and the store's into force. */
  async sync(): Promise<void> {
    const { kinds, facts } = this.#options
    await Promise.all([
      ...facts.priorityLevels.map((one) => this.#ensure(kinds.levels, one)),
      ...facts.flowSchemas.map((one) => this.#ensure(kinds.schemas, one)),
    ])
    await this.#apply()
  }

  /** Follows the store until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { kinds } = this.#options
    await Promise.all([this.#follow(kinds.levels, signal), this.#follow(kinds.schemas, signal)])
  }

  async #follow(kind: AnyKind, signal: AbortSignal): Promise<void> {
    const { registry, clock, log } = this.#options
    while (!signal.aborted) {
      try {
        for await (const _ of registry.watch({ kind }, { bookmarks: false }, signal)) {
          await this.sync()
        }
      } catch (error) {
        if (signal.aborted) return
        log.warn('flow control objects not followed', { kind: kind.kind, reason: String(error) })
      }
      await pause(clock, 1000, signal)
    }
  }

  async #ensure(kind: AnyKind, { name, mandatory, spec }: NamedSpec<unknown>): Promise<void> {
    const { registry, facts } = this.#options
    const options = { dryRun: false, fieldValidation: 'Ignore', manager: this.#manager } as const
    const stored = await this.#find(kind, name)
    try {
      if (stored === undefined) {
        const metadata = { name, annotations: { [facts.annotation]: 'true' } }
        await registry.create({ kind }, bodyOf({ metadata, spec }), options)
        return
      }
      const follows = stored.metadata.annotations?.[facts.annotation] === 'true'
      if (!mandatory && !follows) return
      await registry.update({ kind, name }, bodyOf({ ...stored, spec }), options)
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists') && !isStatus(error, 'Conflict')) throw error
    }
  }

  async #find(kind: AnyKind, name: string): Promise<ApiObject | undefined> {
    try {
      return (await this.#options.registry.get({ kind, name }, {})).object()
    } catch (error) {
      if (isStatus(error, 'NotFound')) return undefined
      throw error
    }
  }

  async #apply(): Promise<void> {
    const { kinds, facts, configure } = this.#options
    const levels = await this.#all<PriorityLevelSpec>(kinds.levels)
    const schemas = await this.#all<FlowSchemaSpec>(kinds.schemas)
    const mandatory = (list: readonly NamedSpec<unknown>[], name: string): boolean =>
      list.some((one) => one.mandatory && one.name === name)
    configure({
      priorityLevels: levels.map((one) => ({
        ...one,
        mandatory: mandatory(facts.priorityLevels, one.name),
      })),
      flowSchemas: schemas.map((one) => ({
        ...one,
        mandatory: mandatory(facts.flowSchemas, one.name),
      })),
    })
    const names = new Set(levels.map(({ name }) => name))
    await Promise.all(schemas.map((one) => this.#tellDangling(one, names)))
  }

  async #all<Spec>(kind: AnyKind): Promise<readonly Stored<Spec>[]> {
    const { items } = await this.#options.registry.list({ kind }, {})
    return items.map((item) => {
      const object = item.object() as ApiObject & { readonly spec?: Spec }
      const { name = '', uid = '' } = object.metadata
      return { name, uid, spec: object.spec ?? ({} as Spec), object }
    })
  }

  /** Says in a schema's status whether its level is there. */
  async #tellDangling(schema: Stored<FlowSchemaSpec>, levels: ReadonlySet<string>): Promise<void> {
    const { registry, kinds, clock } = this.#options
    const kind = kinds.schemas
    if (!kind.subresources.some(({ name }) => name === 'status')) return
    const level = schema.spec.priorityLevelConfiguration.name
    const dangling = !levels.has(level)
    const status = dangling ? 'True' : 'False'
    const { conditions = [] } = (schema.object as WithConditions).status ?? {}
    if (conditions.find(({ type }) => type === 'Dangling')?.status === status) return
    const head = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`
    const condition = {
      type: 'Dangling',
      status,
      lastTransitionTime: timestamp(clock.now()),
      reason: dangling ? 'NotFound' : 'Found',
      message: `${head} ${dangling ? 'but there is no such object' : 'and it exists'}`,
    }
    const others = conditions.filter(({ type }) => type !== 'Dangling')
    const object = { ...schema.object, status: { conditions: [...others, condition] } }
    try {
      await registry.update({ kind, name: schema.name, subresource: 'status' }, bodyOf(object), {
        dryRun: false,
        fieldValidation: 'Ignore',
        manager: this.#manager,
      })
    } catch (error) {
      if (!isStatus(error, 'Conflict') && !isStatus(error, 'NotFound')) throw error
    }
  }
}

interface Stored<Spec> {
  readonly name: string
  readonly uid: string
  readonly spec: Spec
  readonly object: ApiObject
}

interface WithConditions {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

function bodyOf(value: object): Body {
  return { value: value as Body['value'], duplicates: [] }
}
