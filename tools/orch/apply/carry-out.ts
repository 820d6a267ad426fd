/** Carries out a plan, waits for what it asked for, and takes it back where that is wanted. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, DynamicObject } from '../../../runtime/client/client.ts'
import { errorText } from '../../../runtime/kernel/errors/error-text.ts'
import { isStatus } from '../../../runtime/kernel/errors/status-error.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'
import { type ApplySet, contentsNow, contentsOf, writeParent } from './apply-set.ts'
import { healthOf } from './health.ts'
import type { Wanted } from './objects.ts'
import type { Action } from './plan.ts'

/** How a plan is carried out. */
export interface Execution {
  readonly client: Client
  readonly manager: string
  readonly force: boolean
  readonly set?: ApplySet
  readonly prune: boolean
  readonly version: string
  /** Only what is as it was when the plan was made is changed. */
  readonly unmoved: boolean
  /** Milliseconds until what was applied has to be healthy. Without it there is no wait. */
  readonly wait?: number
  readonly rollback: boolean
  /** Ends it between two objects, or while it waits; it counts as a failure. */
  readonly signal?: AbortSignal
  readonly print: (line: string) => void
}

/** What was done, for those who take it back. */
interface Done {
  readonly action: Action
  readonly object?: Stored<DynamicObject>
}

/** Carries out the actions. @throws Error that says what failed, and what was taken back. */
export async function carryOut(actions: readonly Action[], how: Execution): Promise<void> {
  const [done, parents]: [Done[], Done[]] = [[], []]
  try {
    await applyAll(actions, how, done, parents)
    if (how.wait !== undefined) await waitFor(done, how.wait, how.print, how.signal)
  } catch (error) {
    if (!how.rollback) throw error
    how.print(`failed: ${errorText(error)}`)
    const left = await takeBack([...parents, ...done], how.print)
    const end = left === 0 ? 'what was changed is as it was' : `${left} could not be taken back`
    throw new Error(`${errorText(error)}; ${end}`)
  }
}

/** The parent of a set names what is there before as well as after, until nothing of the former is. */
async function applyAll(
  actions: readonly Action[],
  how: Execution,
  done: Done[],
  parents: Done[],
): Promise<void> {
  const { client, set, version, prune, print } = how
  const kept = actions.filter(({ does }) => does !== 'delete').map(({ wanted }) => wanted)
  const now = contentsNow(kept)
  const before = set && (await contentsOf(client, set))
  const both = before && {
    groupKinds: [...before.groupKinds, ...now.groupKinds],
    namespaces: [...before.namespaces, ...now.namespaces],
  }
  const act = async (action: Action) => {
    if (how.signal?.aborted) throw new Error('interrupted')
    const object = await actOn(action, how)
    const one = { action, ...(object && { object }) }
    done.push(one)
    print(`${action.wanted.title} ${words[action.does]}`)
    const { kind } = action.wanted.resource.kind
    // Objects of the kind may come next.
    if (kind === 'CustomResourceDefinition') {
      await waitFor([one], definitionTimeout, () => {}, how.signal)
    }
  }
  // The parent may stand in a namespace that is made first.
  const first = actions.filter(({ does, wanted }) => does === 'create' && isPlaceOf(wanted, set))
  for (const action of first) await act(action)
  if (set !== undefined && both !== undefined) {
    const { wanted, before: live, after } = await writeParent(client, set, both, version)
    const does = live === undefined ? 'create' : 'change'
    parents.push({ action: { does, wanted, ...(live && { live }), changes: [] }, object: after })
  }
  for (const action of actions) if (!first.includes(action)) await act(action)
  if (set !== undefined && prune) await writeParent(client, set, now, version)
}

/** How long a definition may take until its kind is served, in milliseconds. */
const definitionTimeout = 60_000

function isPlaceOf({ resource: { kind }, key }: Wanted, set: ApplySet | undefined): boolean {
  return kind.kind === 'Namespace' && key.name === set?.namespace
}

const words = {
  create: 'created',
  change: 'changed',
  delete: 'deleted',
  nothing: 'unchanged',
} as const

async function actOn(action: Action, how: Execution): Promise<Stored<DynamicObject> | undefined> {
  try {
    return await actOnOne(action, how)
  } catch (error) {
    throw new Error(`${action.wanted.title}: ${errorText(error)}`, { cause: error })
  }
}

async function actOnOne(
  { does, wanted, live }: Action,
  { manager, force, unmoved }: Execution,
): Promise<Stored<DynamicObject> | undefined> {
  const { resource, config } = wanted
  if (does === 'delete') {
    if (live === undefined) return undefined
    // As kubectl does: what a kind says of itself may leave its pods behind.
    const options = { unchanged: unmoved, propagationPolicy: 'Background' } as const
    await resource.delete(live, options).catch((error: unknown) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
    return undefined
  }
  const { resourceVersion } = live?.metadata ?? {}
  const metadata = { ...(config.metadata as object), ...(unmoved && { resourceVersion }) }
  const apply = () => resource.apply({ ...config, metadata } as never, { manager, force })
  return wanted.isDefined ? onceServed(apply) : apply()
}

/** A kind may be established a moment before it is served. */
async function onceServed<T>(apply: () => Promise<T>): Promise<T> {
  const end = Date.now() + definitionTimeout
  for (;;) {
    try {
      return await apply()
    } catch (error) {
      if (!isStatus(error, 'NotFound') || Date.now() >= end) throw error
    }
    await sleep(period)
  }
}

/** How often objects are looked at, in milliseconds. */
const period = 500

/** Waits until everything that was applied is healthy, and prints what is missing whenever that changes. */
async function waitFor(
  done: readonly Done[],
  timeout: number,
  print: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const end = Date.now() + timeout
  const told = new Map<Action, string>()
  let open = done.filter(({ action }) => action.does !== 'delete')
  while (open.length > 0) {
    if (signal?.aborted) throw new Error('interrupted')
    const next: Done[] = []
    for (const one of open) {
      const { resource, key, title } = one.action.wanted
      const { is, why } = healthOf(await resource.get(key))
      if (is === 'failed') throw new Error(`${title} failed: ${why}`)
      const text = is === 'healthy' ? 'is healthy' : `waits: ${why}`
      if (told.get(one.action) !== text) print(`${title} ${text}`)
      told.set(one.action, text)
      if (is !== 'healthy') next.push(one)
    }
    open = next
    if (open.length > 0 && Date.now() >= end) {
      const rows = open.map(({ action }) => `${action.wanted.title} ${told.get(action)}`)
      throw new Error(`not healthy after ${timeout / 1000} s: ${rows.join('; ')}`)
    }
    if (open.length > 0) await pause(signal)
  }
}

/** Waits until the next look, or less if it is to end. */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  await sleep(period, undefined, signal && { signal }).catch((error: unknown) => {
    if (!signal?.aborted) throw error
  })
}

/** Takes back what was done, the last first. Gives how much could not be. */
async function takeBack(done: readonly Done[], print: (line: string) => void): Promise<number> {
  let left = 0
  for (const one of [...done].reverse()) {
    const { wanted } = one.action
    if (isAsItWas(one)) continue
    try {
      await takeBackOne(one)
      print(`${wanted.title} is as it was`)
    } catch (error) {
      left++
      print(`${wanted.title} could not be taken back: ${errorText(error)}`)
    }
  }
  return left
}

/** What was unchanged may have got a manager. */
function isAsItWas({ action: { does, live }, object }: Done): boolean {
  return does === 'nothing' && object?.metadata.resourceVersion === live?.metadata.resourceVersion
}

/** Who had which field is taken back with the values, in a second write: the first is this one's. */
async function takeBackOne({ action: { does, wanted, live }, object }: Done): Promise<void> {
  const { resource, key } = wanted
  if (does === 'create') {
    if (object !== undefined) await resource.delete(object, { propagationPolicy: 'Background' })
    return
  }
  if (live === undefined) return
  if (does === 'delete') {
    const { uid: _, resourceVersion: _version, creationTimestamp: _time, ...rest } = live.metadata
    await resource.create({ ...live, metadata: { ...rest, managedFields: undefined } } as never)
    return
  }
  for (const _ of ['values', 'managers']) {
    const { resourceVersion } = (await resource.get(key)).metadata
    await resource.update({ ...live, metadata: { ...live.metadata, resourceVersion } } as never)
  }
}
