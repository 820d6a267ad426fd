import { startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import type { Scheme } from '../../../runtime/kernel/descriptors/scheme.ts'
import type { Json, JsonObject } from '../../../runtime/kernel/values/json.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { storageClasses } from './random-volumes.ts'
import type { Action, WorldObject } from './world.ts'

/** A server in memory, and a scheduler beside it. */
export interface Side {
  readonly name: string
  readonly url: string
  send(method: string, path: string, body?: Json): Promise<JsonObject>
  /** The score of each node that would do, by the name of the node, of the last time that a pod was tried and several would. */
  scoresOf(namespace: string, pod: string): ReadonlyMap<string, number> | undefined
  /** What the scores are made of, where the scheduler tells it. */
  partsOf(namespace: string, pod: string): readonly string[]
  close(): Promise<void>
}

/** A scheduler of a server, which tells what it makes of nodes. */
export interface SideScheduler {
  scoresOf(namespace: string, pod: string): ReadonlyMap<string, number> | undefined
  partsOf(namespace: string, pod: string): readonly string[]
  stop(): Promise<void>
}

/** Changes what the objects of worlds are not about. */
const admission = {
  disable: ['ServiceAccount', 'TaintNodesByCondition', 'StorageObjectInUseProtection'],
} as const

/** Starts a server with what all worlds share, and a scheduler of it. */
export async function startSide(
  name: string,
  scheme: Scheme,
  startScheduler: (url: string) => Promise<SideScheduler>,
): Promise<Side> {
  const listen = { host: '127.0.0.1', port: 0 }
  const server = await startApiServer({
    ...{ scheme, clock: systemClock, log: silentLog, storage: { kind: 'memory' } as const },
    ...{ admission, listen },
  })
  const url = server.url ?? ''
  const send = (method: string, path: string, body?: Json) => sendTo(url, method, path, body)
  for (const object of shared) await createOn({ send }, object)
  const scheduler = await startScheduler(url)
  return {
    ...{ name, url, send },
    scoresOf: (namespace, pod) => scheduler.scoresOf(namespace, pod),
    partsOf: (namespace, pod) => scheduler.partsOf(namespace, pod),
    close: async () => {
      await scheduler.stop()
      await server.stop()
    },
  }
}

async function sendTo(
  url: string,
  method: string,
  path: string,
  body: Json | undefined,
): Promise<JsonObject> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': type },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as JsonObject
  if (response.ok || response.status === 404) return answer
  throw new Error(`${method} ${path}: ${answer.message} ${JSON.stringify(body)}`)
}

/** Creates an object, and gives it its status. */
export async function createOn(
  { send }: Pick<Side, 'send'>,
  { path, body, status }: WorldObject,
): Promise<void> {
  await send('POST', path, body)
  if (status !== undefined) {
    await send('PATCH', `${path}/${body.metadata.name}/status`, { status })
  }
}

/** Does what is done in a world once its pods were tried. */
export async function doOn({ send }: Pick<Side, 'send'>, action: Action): Promise<void> {
  await send(action.method, action.path, action.body)
}

/** The items of a collection. */
export async function itemsOf(
  { send }: Pick<Side, 'send'>,
  path: string,
): Promise<readonly JsonObject[]> {
  const { items } = await send('GET', path)
  return (items ?? []) as readonly JsonObject[]
}

const priorityClasses = { low: -5, middle: 10, high: 100, quiet: 100 }

/** What is on both servers in all worlds. */
const shared: readonly WorldObject[] = [
  {
    path: '/api/v1/namespaces',
    body: {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'other', labels: { team: 'a' } },
    },
  },
  ...Object.entries(priorityClasses).map(([name, value]) => ({
    path: '/apis/scheduling.k8s.io/v1/priorityclasses',
    body: {
      ...{ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value },
      ...(name === 'quiet' && { preemptionPolicy: 'Never' }),
    },
  })),
  ...storageClasses,
]
