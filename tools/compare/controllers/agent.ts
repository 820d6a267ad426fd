/** What a node does for pods, as far as controllers can see it: told by annotations of the pod, so that it is the same each time. */
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Any } from './cluster.ts'

/** So long after each change of a pod its node does what it does. */
const nodeMs = 50

/**
 * Brings the pods of all namespaces of scenarios into their phase until the signal aborts. A pod becomes ready, unless the annotation
 * `agent` says `pending` (nothing happens), `running` (never ready), `succeeds`, or `fails`, maybe with an exit code: `fails 3`. One
 * that is deleted goes, unless its annotation `agent-holds` says that it stays.
 */
export async function runAgent(url: string, signal: AbortSignal): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const machine = { metadata: { name: usualNode, labels: { [besideWork]: '' } } }
  await fetch(`${url}/api/v1/nodes`, { method: 'POST', headers, body: JSON.stringify(machine) })
  await send('PATCH', `${url}/api/v1/nodes/${usualNode}/status`, { status: readyNode() })
  const agent = new Agent(url)
  let last = Promise.resolve()
  try {
    for await (const { type, object } of podChanges(url, signal)) {
      agent.sees(type, object)
      const { uid = '' } = object.metadata
      const due = sleep(nodeMs)
      last = last.then(() => due).then(() => agent.tend(uid))
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  await last
}

interface PodChange {
  readonly type: string
  readonly object: Any
}

/** Every change of a pod, from one watch that begins with those there are. */
async function* podChanges(url: string, signal: AbortSignal): AsyncGenerator<PodChange> {
  const { body } = await fetch(`${url}/api/v1/pods?watch=1`, { signal })
  if (body === null) throw new Error('the server sent no changes of pods')
  for await (const line of createInterface({ input: Readable.fromWeb(body) }))
    yield JSON.parse(line)
}

/** The nodes of all pods. */
class Agent {
  readonly #url: string
  /** The pods there are, by their uid. */
  readonly #pods = new Map<string, Any>()
  /** What pods were brought to. */
  readonly #said = new Map<string, string>()
  #addresses = 0

  constructor(url: string) {
    this.#url = url
  }

  sees(type: string, pod: Any): void {
    const { uid = '', namespace = '' } = pod.metadata
    if (type === 'DELETED') this.#pods.delete(uid)
    else if (namespace.startsWith('s-')) this.#pods.set(uid, pod)
  }

  /** Does for a pod what is due. */
  async tend(uid: string): Promise<void> {
    const pod = this.#pods.get(uid)
    if (pod === undefined) return
    const { namespace, name, annotations = {}, deletionTimestamp } = pod.metadata
    const path = `${this.#url}/api/v1/namespaces/${namespace}/pods/${name}`
    if (deletionTimestamp !== undefined) {
      if (annotations['agent-holds'] === undefined)
        await send('DELETE', path, { gracePeriodSeconds: 0 })
      return
    }
    const said = annotations.agent ?? 'ready'
    if (said === 'pending' || this.#said.get(uid) === said) return
    this.#said.set(uid, said)
    this.#addresses += 1
    if (pod.spec.nodeName === undefined) {
      const target = { kind: 'Node', name: nodeOf(pod) }
      await send('POST', `${path}/binding`, { metadata: { name }, target })
    }
    const address = `10.9.${this.#addresses >> 8}.${this.#addresses & 255}`
    await send('PATCH', `${path}/status`, { status: statusOf(pod, said, address) })
  }
}

/** The status of a node that is ready. */
export function readyNode(): object {
  const at = new Date().toISOString().replace(/\.\d+/, '')
  const conditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
    ...{ type, status: type === 'Ready' ? 'True' : 'False' },
    ...{ lastHeartbeatTime: at, lastTransitionTime: at },
    ...{ reason: 'Told', message: 'as the scenario says' },
  }))
  const amounts = { cpu: '4', memory: '8Gi', pods: '110' }
  return { conditions, capacity: amounts, allocatable: amounts }
}

/** The node of pods that ask for none. */
const usualNode = 'agent'
/** A label of nodes that do no work of a zone. */
export const besideWork = 'node-role.kubernetes.io/control-plane'

/** The node that the pod of a daemon set is for. */
function nodeOf({ spec }: Any): string {
  const [term] =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
      ?.nodeSelectorTerms ?? []
  return term?.matchFields?.[0]?.values[0] ?? usualNode
}

async function send(method: string, path: string, body: object): Promise<void> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  await fetch(path, { method, headers: { 'content-type': type }, body: JSON.stringify(body) })
}

function statusOf({ spec }: Any, said: string, address: string): object {
  const [word = '', code = '1'] = said.split(' ')
  const at = new Date().toISOString().replace(/\.\d+/, '')
  const ended = word === 'succeeds' || word === 'fails'
  const phase = word === 'succeeds' ? 'Succeeded' : word === 'fails' ? 'Failed' : 'Running'
  const ready = word === 'ready'
  const exitCode = word === 'succeeds' ? 0 : Number(code)
  const state = ended
    ? {
        terminated: {
          exitCode,
          startedAt: at,
          finishedAt: at,
          reason: exitCode === 0 ? 'Completed' : 'Error',
        },
      }
    : { running: { startedAt: at } }
  const condition = (type: string, status: boolean) => ({
    ...{ type, status: status ? 'True' : 'False', lastTransitionTime: at, lastProbeTime: null },
  })
  return {
    phase,
    startTime: at,
    ...{ podIP: address, podIPs: [{ ip: address }], hostIP: '127.0.0.1' },
    conditions: [
      condition('Initialized', true),
      condition('Ready', ready),
      condition('ContainersReady', ready),
      condition('PodScheduled', true),
    ],
    containerStatuses: spec.containers.map(({ name, image }: { name: string; image: string }) => ({
      ...{ name, image, imageID: image, ready, started: !ended, restartCount: 0, state },
    })),
  }
}
