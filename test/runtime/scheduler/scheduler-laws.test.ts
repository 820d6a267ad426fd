// Two schedulers with one lease on bad days: requests fail, answers get lost, watches break, one is started anew, one is cut off.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Node, nodes } from '../../../generated/apis/core/v1/node.ts'
import { type Pod, pods } from '../../../generated/apis/core/v1/pod.ts'
import { priorityClasses } from '../../../generated/apis/scheduling/v1.ts'
import { platform } from '../../../generated/platform.ts'
import type { Client } from '../../../runtime/client/client.ts'
import { isStatus } from '../../../runtime/kernel/errors/status-error.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { createScheduler } from '../../../runtime/scheduler/scheduler.ts'
import { explore, type World } from '../../../runtime/testing/testing.ts'
import { type BadDay, badDayOf } from '../../support/fault-world.ts'

const test = suite('runtime/scheduler: laws')

const priorities = { low: 0, middle: 10, high: 100 }
const classes = Object.keys(priorities) as readonly (keyof typeof priorities)[]

const hostname = `${platform.domain}/hostname`

interface Facts {
  readonly nodes: readonly Stored<Node>[]
  readonly pods: readonly Stored<Pod>[]
}

const cpuOf = ({ spec }: Pod): number => Number(spec?.containers[0]?.resources?.requests?.cpu ?? 0)
const hasPort = ({ spec }: Pod): boolean =>
  spec?.containers[0]?.ports?.some(({ hostPort }) => hostPort === 80) ?? false
const isAlone = ({ metadata }: Stored<Pod>): boolean => metadata.labels?.alone === 'yes'
const priorityOf = ({ spec }: Pod): number => spec?.priority ?? 0
const isGated = ({ spec }: Pod): boolean => (spec?.schedulingGates ?? []).length > 0

/** What is against a pod beside others on a node with so many processors. */
function against(pod: Stored<Pod>, others: readonly Stored<Pod>[], node: Node): string | undefined {
  const all = [pod, ...others]
  if (all.reduce((sum, one) => sum + cpuOf(one), 0) > Number(node.status?.allocatable?.cpu))
    return 'more processors than there are'
  if (all.length > Number(node.status?.allocatable?.pods)) return 'more pods than it takes'
  if (hasPort(pod) && others.some(hasPort)) return 'a port twice'
  if (isAlone(pod) && others.some(isAlone)) return 'two that keep away from each other'
  return undefined
}

/** What two readings of a cluster show that must not be. */
function broken({ nodes, pods }: Facts): readonly string[] {
  return nodes.flatMap((node) => {
    const here = pods.filter(({ spec }) => spec?.nodeName === node.metadata.name)
    return here.flatMap((pod, at) => {
      const why = against(pod, here.slice(0, at), node)
      return why === undefined ? [] : [`${node.metadata.name}: ${why} (${pod.metadata.name})`]
    })
  })
}

/** The pods that wait although a node would take them, or would if less important pods went. */
function waiting({ nodes, pods }: Facts): readonly string[] {
  return pods
    .filter((pod) => pod.spec?.nodeName === undefined && !isGated(pod))
    .filter((pod) =>
      nodes.some((node) => {
        if (node.spec?.unschedulable) return false
        const stay = pods.filter(
          (one) => one.spec?.nodeName === node.metadata.name && priorityOf(one) >= priorityOf(pod),
        )
        return against(pod, stay, node) === undefined
      }),
    )
    .map(({ metadata }) => metadata.name)
}

async function addNode(client: Client, name: string, cpu: number): Promise<void> {
  await client.resource(nodes).create({ metadata: { name, labels: { [hostname]: name } } })
  const status = { allocatable: { cpu: String(cpu), memory: '8Gi', pods: '5' } }
  await client.resource(nodes).mergePatch(name, { status }, { subresource: 'status' })
  await client.resource(nodes).mergePatch(name, { spec: { taints: null } })
}

/** Some pod: with a port, one that keeps away from others of its sort, one that waits for its gate, or none of these. */
function somePod(name: string, random: () => number): Pod {
  const is = random()
  const alone = is < 0.25
  const labels = alone ? { alone: 'yes' } : {}
  const labelSelector = { matchLabels: labels }
  const term = { labelSelector, topologyKey: hostname }
  return {
    metadata: { name, labels },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'example',
          resources: { requests: { cpu: String(1 + Math.floor(random() * 3)) } },
          ...(is > 0.8 && { ports: [{ containerPort: 80, hostPort: 80 }] }),
        },
      ],
      priorityClassName: classes[Math.floor(random() * classes.length)] ?? 'low',
      ...(alone && {
        affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
      }),
      ...(is > 0.4 && is < 0.5 && { schedulingGates: [{ name: 'example.com/wait' }] }),
    },
  } as unknown as Pod
}

async function schedulerOn(world: World, name: string): Promise<BadDay> {
  const { clock, random } = world
  return badDayOf(world, name, (client) =>
    createScheduler({
      ...{ client, platform, clock, random, log: silentLog, keepAlive: false },
      leaderElection: { client, name: 'scheduler', namespace: 'default', identity: name },
    }),
  )
}

test('nodes take what they have room for, less important pods alone make room, gates hold, and in the end whoever can has a node', async () => {
  await explore(
    async (world) => {
      const { client } = world.plane
      const { random } = world
      const own = client.resource(pods).in('default')
      for (const [name, value] of Object.entries(priorities))
        await client.resource(priorityClasses).create({ metadata: { name }, value })
      for (const name of ['a', 'b']) await addNode(client, name, 4)
      const schedulers = [await schedulerOn(world, 'one'), await schedulerOn(world, 'other')]
      const deleted = new Set<string>()
      const places = new Map<string, string>()
      const facts = async (): Promise<Facts> => ({
        nodes: (await client.resource(nodes).listAll()).items,
        pods: (await own.listAll()).items,
      })
      const tolerant = async (work: Promise<unknown>) => {
        await work.catch((error: unknown) => {
          if (!isStatus(error, 'NotFound') && !isStatus(error, 'Conflict')) throw error
        })
      }
      /** Looks at the laws, and ends pods as the agents of their nodes would. */
      const look = async (): Promise<Facts> => {
        const seen = await facts()
        assert.is(broken(seen).join('; '), '')
        for (const pod of seen.pods) {
          const { uid, name, deletionTimestamp } = pod.metadata
          const place = pod.spec?.nodeName
          if (isGated(pod)) assert.is(place, undefined, `${name} has a gate and a node`)
          if (place !== undefined) {
            assert.is(places.get(uid) ?? place, place, `${name} changed its node`)
            places.set(uid, place)
          }
          if (deletionTimestamp === undefined) continue
          if (!deleted.has(uid))
            assert.ok(priorityOf(pod) < priorities.high, `${name} had to go for nobody`)
          await tolerant(own.delete(pod, { gracePeriodSeconds: 0 }))
        }
        return seen
      }
      for (let step = 0; step < 12; step++) {
        if (random() < 0.8) await own.create(somePod(`pod-${step}`, random))
        if (random() < 0.2) await addNode(client, `node-${step}`, 2 + Math.floor(random() * 3))
        const { pods: now, nodes: known } = await look()
        const one = now[Math.floor(random() * now.length)]
        if (one !== undefined && random() < 0.2) {
          deleted.add(one.metadata.uid)
          await tolerant(own.delete(one))
        }
        const gated = now.find(isGated)
        if (gated !== undefined && random() < 0.3)
          await tolerant(own.mergePatch(gated.metadata.name, { spec: { schedulingGates: null } }))
        const node = known[Math.floor(random() * known.length)]
        if (node !== undefined && random() < 0.2) {
          const unschedulable = !node.spec?.unschedulable
          await client.resource(nodes).mergePatch(node.metadata.name, { spec: { unschedulable } })
        }
        const scheduler = schedulers[Math.floor(random() * schedulers.length)]
        if (random() < 0.2) await scheduler?.restart()
        else if (random() < 0.15) await scheduler?.cutOff(20_000)
        for (let part = 0; part < 4; part++) {
          await world.advance(Math.floor(random() * 1500))
          await look()
        }
      }
      for (const one of schedulers) one.mend()
      await world.until(async () => {
        const seen = await look()
        return waiting(seen).length === 0
      })
      for (const one of schedulers) await one.stop()
    },
    { seeds: 15 },
  )
})

test.run()
