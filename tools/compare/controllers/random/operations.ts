/** What histories of every world are made of. */
import type { Random } from '../../random.ts'
import type { Any, Cluster } from '../cluster.ts'
import { pods } from '../scenarios/shapes.ts'

/** A change that a history may hold. What it draws does not depend on what it finds. */
export type Operation = (cluster: Cluster, random: Random) => Promise<unknown>

/** How a history is played. */
export interface Pace {
  /** From and up to how many operations. */
  readonly steps: readonly [number, number]
  /** How long nothing is written before the next one. */
  readonly quietMs?: number
}

/** Plays operations one after the other, each when controllers have come to rest. */
export async function playOperations(
  cluster: Cluster,
  random: Random,
  operations: readonly Operation[],
  { steps: [few, many], quietMs }: Pace,
): Promise<void> {
  const steps = few + random.below(many - few + 1)
  for (let step = 0; step < steps; step += 1) {
    await random.pick(operations)(cluster, random)
    await cluster.settled(quietMs)
  }
}

/** An operation that counts so many times as often as others. */
export function often(times: number, operation: Operation): readonly Operation[] {
  return Array.from({ length: times }, () => operation)
}

/** The fields whose turn it is, each in a share of all cases. */
export function maybe(random: Random, share: number, fields: object): object {
  return random.chance(share) ? fields : {}
}

/** Changes one object, if it is there. */
export function patches(
  resource: string,
  name: string,
  patchOf: (random: Random) => object,
): Operation {
  return async (c, random) => {
    const patch = patchOf(random)
    if ((await c.find(resource, name)) !== undefined) await c.patch(resource, name, patch)
  }
}

/**
 * Does something to the pod at a place that is drawn, if there are pods: in the order of what they are, since names are chosen by
 * servers. Pods that are equal in that are so for controllers, too.
 */
export function toSomePod(
  act: (cluster: Cluster, pod: Any, random: Random) => Promise<unknown>,
): Operation {
  return async (c, random) => {
    const place = random.next()
    const living = (await c.list(pods)).filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined &&
        status?.phase !== 'Failed' &&
        status?.phase !== 'Succeeded',
    )
    await act(c, placed(inOrder(living), place) ?? { metadata: { name: '' } }, random)
  }
}

/** Pods in the order of what they are. */
function inOrder(all: readonly Any[]): readonly Any[] {
  const keyOf = ({ metadata, spec, status }: Any): string => {
    const { generateName = metadata.name, labels, annotations } = metadata
    const { containers, nodeName } = spec
    const stable = Object.entries(labels ?? {}).filter(([key]) => !key.endsWith('-hash'))
    return JSON.stringify([
      ...[generateName.split('-')[0], containers[0].image, stable, annotations],
      ...[nodeName, status?.phase, generateName === metadata.name],
    ])
  }
  const keyed = all.map((one) => [keyOf(one), one] as const)
  return keyed.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, one]) => one)
}

/** Lets what a node does with one pod be something else: `agent` says what. */
export const somePodBecomes = (words: readonly string[]): Operation =>
  toSomePod(async (c, pod, random) => {
    const agent = random.pick(words)
    if (pod.metadata.name !== '')
      await c.patch(pods, pod.metadata.name, { metadata: { annotations: { agent } } })
  })

/** Deletes one pod. */
export const somePodGoes: Operation = toSomePod(async (c, { metadata: { name } }) => {
  if (name !== '') await c.delete(pods, name)
})

/** Changes labels or annotations of one pod. */
export const somePodIsMarked = (changes: readonly object[]): Operation =>
  toSomePod(async (c, pod, random) => {
    const metadata = random.pick(changes)
    if (pod.metadata.name !== '') await c.patch(pods, pod.metadata.name, { metadata })
  })

/** Every pod that was held back becomes ready, one after the other: which ones are first decides about the steps of a rollout. */
export const everyPodBecomesReady: Operation = async (c) => {
  for (const { metadata } of inOrder(await c.list(pods))) {
    const isWanting =
      metadata.deletionTimestamp === undefined && metadata.annotations?.agent !== 'ready'
    if (!isWanting || (await c.find(pods, metadata.name)) === undefined) continue
    await c.patch(pods, metadata.name, { metadata: { annotations: { agent: 'ready' } } })
    await c.settled(400)
  }
}

/** One pod is deleted, and stays as one that goes until it is let go. */
export const somePodIsHeld: Operation = toSomePod(async (c, { metadata: { name } }) => {
  if (name === '') return
  await c.patch(pods, name, { metadata: { annotations: { 'agent-holds': '' } } })
  await c.delete(pods, name, { gracePeriodSeconds: 30 })
})

/** Pods that were held go. */
export const everyPodIsLetGo: Operation = async (c) => {
  for (const { metadata } of await c.list(pods))
    if (metadata.annotations?.['agent-holds'] !== undefined)
      await c.patch(pods, metadata.name, { metadata: { annotations: { 'agent-holds': null } } })
}

/** The object at a place that is drawn, in an order that servers do not choose; undefined if there is none. */
export function placed<T>(all: readonly T[], place: number): T | undefined {
  return all[Math.floor(place * all.length)]
}

/** Takes an object away, and what becomes of its dependents is drawn. */
export function deletes(resource: string, name: string, policies: readonly string[]): Operation {
  return async (c, random) => {
    const propagationPolicy = random.pick(policies)
    if ((await c.find(resource, name)) !== undefined)
      await c.delete(resource, name, { propagationPolicy })
  }
}

/** Makes an object unless one of the name is there. */
export function creates(
  resource: string,
  name: string,
  objectOf: (random: Random) => object,
): Operation {
  return async (c, random) => {
    const object = objectOf(random)
    if ((await c.find(resource, name)) === undefined)
      await c.create(resource, { metadata: { name }, ...object })
  }
}

/** One operation after the other, each when controllers have come to rest. */
export function inTurn(...operations: readonly Operation[]): Operation {
  return async (c, random) => {
    for (const operation of operations) {
      await operation(c, random)
      await c.settled()
    }
  }
}
