// An operator, and what its tests are made of. test/examples/guide/testing.test.ts runs all of it.
import { type Client, createClient, createManager, defineController, done } from 'orch'
import { type ConfigMap, configMaps } from 'orch/generated/apis/core/v1/config-map'
import { secrets } from 'orch/generated/apis/core/v1/secret'
import { services } from 'orch/generated/apis/core/v1/service'
import {
  type ControlPlane,
  explore,
  injectFaults,
  memoryCloud,
  plan,
  startControlPlane,
  type VirtualClock,
  type World,
  withoutServerFields,
} from 'orch/testing'

/** Keeps a Secret with the data of each ConfigMap that asks for one. */
export const sealing = defineController<ConfigMap>({
  name: 'sealing',
  for: configMaps,
  owns: [secrets],
  async reconcile({ metadata, data = {} }, { ensure }) {
    if (metadata.labels?.seal !== 'yes') return done
    await ensure(secrets, { metadata: { name: metadata.name }, stringData: data })
    return done
  },
})

/** A ConfigMap that asks for a Secret. */
export const settings = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'default', labels: { seal: 'yes' } },
  data: { colour: 'green' },
} as const

/** A control plane for one test: it has what `prepared` has, and nothing that it does is seen there. */
export async function inFork(
  prepared: ControlPlane,
  run: (plane: ControlPlane) => Promise<void>,
): Promise<void> {
  await using plane = await prepared.fork()
  await run(plane)
}

/** Runs the operator for a day, which takes no time. `plane` was started with the same clock. */
export async function aDay({ client }: ControlPlane, clock: VirtualClock): Promise<void> {
  const stop = new AbortController()
  const manager = createManager({ client, clock, controllers: [sealing] })
  const run = manager.run(stop.signal)
  await manager.ready
  await client.resource(configMaps).create(settings)
  await clock.advanceAsync(24 * 60 * 60 * 1000)
  stop.abort()
  await run
}

/** A client of a server that loses the answer of the first request that creates something, and breaks watches. */
export function unluckyClient({ transport }: ControlPlane, clock: VirtualClock): Client {
  const faulty = injectFaults(transport, {
    clock,
    rules: [
      { verb: 'create', fault: { is: 'lost' }, times: 1 },
      { verb: 'watch', fault: { is: 'broken', afterEvents: 2 }, chance: 0.5 },
      { verb: 'patch', fault: { is: 'status', code: 409 }, times: 2 },
    ],
  })
  return createClient(faulty, { clock })
}

/** In whatever order things arrive, the Secret ends up with the last data. */
export async function everyOrder(prepared: ControlPlane): Promise<void> {
  await explore(lastDataWins, { plane: prepared, seeds: 25 })
}

/** One world: the operator and a user at the same time. */
export async function lastDataWins(world: World): Promise<void> {
  const stop = new AbortController()
  const client = world.client('operator')
  const manager = createManager({ client, clock: world.clock, controllers: [sealing] })
  const run = manager.run(stop.signal)
  const user = world.client('user').resource(configMaps)
  const writes = (async () => {
    await user.create(settings)
    await user.mergePatch('settings', { data: { colour: 'red' } })
  })()
  await world.until(async () => {
    const secret = await world.plane.client.resource(secrets).find('settings')
    return secret?.data?.colour === Buffer.from('red').toString('base64')
  })
  await writes
  stop.abort()
  await world.advance(60_000)
  await run
}

/** What the operator would write about an object, for people to read. Nothing is written. */
export async function planText(plane: ControlPlane): Promise<string> {
  const { text } = await plan(sealing, [settings], { on: plane })
  return text
}

/** The Secret that belongs to the settings, as a test compares it: without uid, resourceVersion, times and managed fields. */
export async function sealed({ client }: ControlPlane): Promise<object> {
  return withoutServerFields(await client.resource(secrets).get('settings'))
}

/** Where the load balancer of a service answers. The cloud refuses to make it at first. */
export async function addressInCloud(clock: VirtualClock): Promise<string | undefined> {
  let tries = 0
  const cloud = memoryCloud({
    before({ verb }) {
      if (verb === 'ensure balancer' && tries++ === 0) throw new Error('the quota is spent')
    },
  })
  const controllers = ['service-lb-controller'] as const
  await using plane = await startControlPlane({ clock, cloud, controllers })
  const all = plane.client.resource(services).in('default')
  const spec = { type: 'LoadBalancer', ports: [{ port: 80 }] } as const
  await all.create({ metadata: { name: 'web' }, spec })
  await clock.advanceAsync(10_000)
  return (await all.get('web')).status?.loadBalancer?.ingress?.[0]?.ip
}
