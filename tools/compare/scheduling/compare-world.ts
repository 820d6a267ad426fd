import { pause, systemClock } from '../../../runtime/kernel/async/clock.ts'
import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import { createOn, doOn, itemsOf, type Side } from './side.ts'
import { nodeOf, type Verdict, verdictOf } from './verdict.ts'
import { pathsIn, type World, type WorldObject } from './world.ts'

/** The two sides of a comparison. */
export interface Sides {
  readonly ours: Side
  readonly reference: Side
}

/** Something that came out differently. */
export interface Difference {
  readonly pod: string
  readonly field: string
  readonly ours: string
  readonly reference: string
}

/** Counts of what was compared. */
export interface Count {
  pods: number
  placed: number
  waiting: number
  preempting: number
}

/** Milliseconds after which schedulers have seen what was written. */
const seenMs = 120

/** Compares what becomes of the pods of a world, one after the other, up to the first that differs. */
export async function compareWorld(
  { ours, reference }: Sides,
  world: World,
  count: Count,
): Promise<readonly Difference[]> {
  const sides = [ours, reference]
  const { namespace, objects } = world
  await both(sides, async (side) => {
    const kind = { apiVersion: 'v1', kind: 'Namespace' }
    await side.send('POST', '/api/v1/namespaces', { ...kind, metadata: { name: namespace } })
    for (const object of objects) await createOn(side, object)
  })
  await pause(systemClock, seenMs)
  try {
    for (const pod of world.pods) {
      const found = await comparePod({ ours, reference }, world, pod, count)
      if (found.length > 0) return found
    }
    return await compareEnd({ ours, reference }, world)
  } finally {
    await both(sides, (side) => clear(side, world))
    await pause(systemClock, seenMs)
  }
}

async function comparePod(
  { ours, reference }: Sides,
  { namespace, actions, hasSidecars }: World,
  pod: WorldObject,
  count: Count,
): Promise<readonly Difference[]> {
  const sides = [ours, reference]
  const { name } = pod.body.metadata
  await both(sides, (side) => createOn(side, pod))
  const [mine, theirs] = await both(sides, (side) => verdictOf(side, namespace, name))
  const found = differencesOf(name, mine!, theirs!, hasSidecars)
  count.pods += 1
  if (theirs!.node !== '') count.placed += 1
  else if (theirs!.nominated !== '') count.preempting += 1
  else count.waiting += 1
  if (found.some(({ field }) => field === 'scores')) {
    const parts = reference.partsOf(namespace, name).join('\n')
    return [...found, { pod: name, field: 'parts', ours: '', reference: parts }]
  }
  if (found.length > 0) return found
  const path = `${pathsIn(namespace).pods}/${name}`
  if (mine!.node !== theirs!.node) await moveTo(ours, path, pod, theirs!.node)
  let { node } = theirs!
  if (theirs!.nominated !== '') {
    await both(sides, (side) => endVictims(side, namespace))
    const [here, there] = await both(sides, (side) => nodeOf(side, namespace, name))
    if (here !== there) return [{ pod: name, field: 'node after', ours: here!, reference: there! }]
    node = there!
  }
  if (node !== '') await both(sides, (side) => begin(side, path, count.pods))
  else if (actions.length === 0) {
    await both(sides, (side) => side.send('DELETE', path, { gracePeriodSeconds: 0 }))
  }
  return []
}

/** A pod that chance sent to another node of the same score goes to the one that it has on the other side. */
async function moveTo(side: Side, path: string, pod: WorldObject, nodeName: string): Promise<void> {
  await side.send('DELETE', path, { gracePeriodSeconds: 0 })
  const spec = { ...(pod.body.spec as JsonObject), nodeName }
  await createOn(side, { ...pod, body: { ...pod.body, spec } })
  await pause(systemClock, seenMs)
}

/** A pod runs, as the agent of its node would say: since a time of its own, so that no two victims are as good as each other. */
async function begin(side: Side, path: string, at: number): Promise<void> {
  const startTime = new Date(Date.UTC(2026, 1, 1, 0, 0, at)).toISOString().replace('.000', '')
  await side.send('PATCH', `${path}/status`, { status: { phase: 'Running', startTime } })
  await pause(systemClock, seenMs)
}

/** Ends pods as the agents of their nodes would. */
async function endVictims(side: Side, namespace: string): Promise<void> {
  const { pods } = pathsIn(namespace)
  for (const { metadata } of await itemsOf(side, pods)) {
    const { name, deletionTimestamp } = metadata as JsonObject
    if (deletionTimestamp !== undefined) {
      await side.send('DELETE', `${pods}/${name}`, { gracePeriodSeconds: 0 })
    }
  }
}

/** Of containers that start before others and stay, the other scheduler counts not all where it compares nodes: only which nodes would do is compared. */
function differencesOf(
  pod: string,
  ours: Verdict,
  reference: Verdict,
  hasSidecars: boolean,
): readonly Difference[] {
  const found: Difference[] = []
  const compare = (field: string, mine: string, theirs: string): void => {
    if (mine !== theirs) found.push({ pod, field, ours: mine, reference: theirs })
  }
  const nodes = ({ scores }: Verdict) => (hasSidecars ? scores.replace(/=-?\d+/g, '') : scores)
  compare('scores', nodes(ours), nodes(reference))
  const isTie = nodes(ours) === nodes(reference) && (hasSidecars || isBest(ours.node, reference))
  if (!isTie) compare('node', ours.node, reference.node)
  compare('condition', ours.condition, reference.condition)
  compare('nominated', ours.nominated, reference.nominated)
  compare('victims', ours.victims.join('\n'), reference.victims.join('\n'))
  if (ours.node === reference.node) {
    compare('events', ours.events.join('\n'), reference.events.join('\n'))
    compare('claims', ours.claims.join('\n'), reference.claims.join('\n'))
  }
  return found
}

/** True for a node with the best score. */
function isBest(node: string, { scores }: Verdict): boolean {
  const pairs = scores.split(' ').map((one) => one.split('=') as [string, string])
  const best = Math.max(...pairs.map(([, score]) => Number(score)))
  return pairs.some(([name, score]) => name === node && Number(score) === best)
}

/** How long is waited until both sides come to the same end, and how often is looked. */
const endLooks = { times: 20, pauseMs: 300 }

/** Does what may help the pods that wait, and compares who is helped. */
async function compareEnd(
  { ours, reference }: Sides,
  { namespace, actions }: World,
): Promise<readonly Difference[]> {
  if (actions.length === 0) return []
  const sides = [ours, reference]
  await both(sides, async (side) => {
    for (const action of actions) await doOn(side, action)
  })
  await pause(systemClock, 5 * endLooks.pauseMs)
  for (let look = 1; ; look++) {
    const [mine, theirs] = await both(sides, (side) => endOf(side, namespace))
    if (mine === theirs) return []
    if (look === endLooks.times) {
      return [{ pod: 'all', field: 'end', ours: mine!, reference: theirs! }]
    }
    await pause(systemClock, endLooks.pauseMs)
  }
}

/** Who has a node, and why others have none; what these were told last is not compared, as ours are tried again only if it may help. */
async function endOf(side: Side, namespace: string): Promise<string> {
  const pods = await itemsOf(side, pathsIn(namespace).pods)
  const lines = pods.map(({ metadata, spec, status }) => {
    const { name } = metadata as JsonObject
    if ((spec as JsonObject).nodeName !== undefined) return `${name} has a node`
    const { conditions = [] } = status as { readonly conditions?: readonly JsonObject[] }
    return `${name} ${conditions.find(({ type }) => type === 'PodScheduled')?.reason}`
  })
  return lines.sort().join('\n')
}

/** Takes a world away again. */
async function clear(side: Side, { namespace, objects, pods }: World): Promise<void> {
  const body = { gracePeriodSeconds: 0 }
  const paths = new Set([...pods, ...objects].map(({ path }) => path))
  for (const path of paths) {
    for (const { metadata } of await itemsOf(side, path)) {
      await side.send('DELETE', `${path}/${(metadata as JsonObject).name}`, body)
    }
  }
  const { volumes, pods: podsPath } = pathsIn(namespace)
  for (const { metadata } of await itemsOf(side, volumes)) {
    await side.send('DELETE', `${volumes}/${(metadata as JsonObject).name}`, body)
  }
  for (let left = 200; left > 0; left--) {
    const rest = await Promise.all([itemsOf(side, podsPath), itemsOf(side, '/api/v1/nodes')])
    if (rest.flat().length === 0) return
    await pause(systemClock, 10)
  }
  throw new Error(`${side.name}: a world stays`)
}

function both<T>(sides: readonly Side[], run: (side: Side) => Promise<T>): Promise<T[]> {
  return Promise.all(sides.map(run))
}
