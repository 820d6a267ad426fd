/** What controllers would write, found out on a fork: nothing is written where it counts. */

import { createClient } from '../client/client.ts'
import { pause, systemClock } from '../kernel/async/clock.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import { hasSubresource } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import { type ApiObject, apiVersionOf } from '../kernel/meta/object.ts'
import { type Log, silentLog } from '../observe/observe.ts'
import {
  type AnyController,
  createManager,
  type KeyController,
  type Manager,
} from '../reconcile/reconcile.ts'
import { type ControlPlane, snapshotEntries, startControlPlane } from './control-plane.ts'
import { type Plan, planOf } from './planned-changes.ts'
import { comeToRest, virtualClock } from './virtual-clock.ts'

/** Whom a plan is for, and what they find. */
export interface PlanOptions {
  /** The control plane that the controllers find; it is forked and does not change. Default: one with built-in kinds alone. */
  readonly on?: ControlPlane
  /** Further schemes, where no control plane is given. */
  readonly schemes?: readonly Scheme[]
  /** Milliseconds of the machine's clock after which controllers that are still at work are given up. Default 30,000. */
  readonly timeoutMs?: number
}

/**
 * Runs controllers on a fork until they come to rest, and says what they wrote: on top of what is there, with `objects` put in as
 * a user would apply them. The clock of the fork stands, so that what waits for its time does not happen.
 *
 * @throws Error if an object cannot be applied, or if the controllers do not come to rest.
 *
 * @example
 * const { text } = await plan(websiteController, [website], { on: plane })
 * console.log(text)
 */
export async function plan(
  controllers: AnyController | KeyController | readonly (AnyController | KeyController)[],
  objects: readonly ApiObject[],
  { on, schemes = [], timeoutMs = 30_000 }: PlanOptions = {},
): Promise<Plan> {
  const clock = virtualClock(systemClock.now())
  await using fork = on ? await on.fork({ clock }) : await startControlPlane({ schemes, clock })
  for (const object of objects) await put(fork, object)
  await comeToRest()
  const before = snapshotEntries(await fork.snapshot())
  const problems: string[] = []
  const manager = createManager({
    client: createClient(fork.transport, { clock, manager: 'plan' }),
    controllers: [controllers].flat() as readonly (AnyController | KeyController)[],
    clock,
    log: problemLog(problems),
    keepAlive: false,
  })
  const stop = new AbortController()
  const run = manager.run(stop.signal)
  try {
    await manager.ready
    await untilAtRest(manager, timeoutMs)
  } finally {
    stop.abort()
    await clock.advanceAsync(60_000)
    await run
  }
  return planOf(before, snapshotEntries(await fork.snapshot()), problems, manager.graph())
}

/** Applies an object as a user would, and its status as those who report it would. */
async function put({ client, scheme }: ControlPlane, object: ApiObject): Promise<void> {
  const kind = kindOf(scheme, object)
  const { name, namespace } = object.metadata
  if (name === undefined) throw new Error(`${object.kind}: an object of a plan needs a name`)
  const everywhere = client.resource<ApiObject>(kind)
  const resource = namespace === undefined ? everywhere : everywhere.in(namespace)
  const { status, ...wanted } = object as ApiObject & { readonly status?: unknown }
  const applied = await resource.apply(
    { ...wanted, metadata: { ...object.metadata, name } },
    { force: true },
  )
  if (status === undefined || !hasSubresource(kind, 'status')) return
  await resource.updateStatus({ ...applied, status } as typeof applied)
}

function kindOf({ routes }: Scheme, { apiVersion, kind }: ApiObject): AnyKind {
  const known = Object.values(routes).find(
    (one) => one.kind === kind && apiVersionOf(one) === apiVersion,
  )
  if (known !== undefined) return known
  throw new Error(`the control plane of the plan has no kind ${kind} of ${apiVersion}`)
}

/** Looks so many times in a row before it believes that nothing goes on. */
const quietLooks = 3

/** Milliseconds to wait for what a controller asks other processes. */
const outsideMs = 2

/** Resolves when no run is under way or due. */
async function untilAtRest(manager: Manager, timeoutMs: number): Promise<void> {
  const end = systemClock.monotonic() + timeoutMs
  for (let quiet = 0; quiet < quietLooks; ) {
    await comeToRest()
    const busy = Object.entries(manager.stats()).filter(
      ([, { active, depth }]) => active + depth > 0,
    )
    quiet = busy.length === 0 ? quiet + 1 : 0
    if (quiet > 0) continue
    if (systemClock.monotonic() > end) {
      const names = busy.map(([name]) => name).join(', ')
      throw new Error(`no plan: ${names} did not come to rest within ${timeoutMs} ms`)
    }
    await pause(systemClock, outsideMs)
  }
}

/** Collects what goes wrong in runs. */
function problemLog(problems: string[]): Log {
  return {
    ...silentLog,
    error(event, { controller, key, why } = {}, cause) {
      const reason = cause instanceof Error ? cause.message : (why ?? '')
      problems.push(`${controller} ${key}: ${event}: ${reason}`)
    },
  }
}
