// What a test sees in its own process is what a program sees of the daemons: the same behaviours, tried on both, with the same results.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { packageRoot } from '../../codegen/main.ts'
import { websites } from '../../examples/operator/generated/apis/web/v1/website.ts'
import { customResourceDefinitions } from '../../generated/apis/apiextensions/v1/custom-resource-definition.ts'
import { deployments } from '../../generated/apis/apps/v1/deployment.ts'
import { horizontalPodAutoscalers as older } from '../../generated/apis/autoscaling/v1/horizontal-pod-autoscaler.ts'
import { horizontalPodAutoscalers as newer } from '../../generated/apis/autoscaling/v2/horizontal-pod-autoscaler.ts'
import { configMaps } from '../../generated/apis/core/v1/config-map.ts'
import { type Client, createClient, httpTransport } from '../../runtime/client/client.ts'
import { isStatus } from '../../runtime/kernel/errors/status-error.ts'
import {
  startControlPlane,
  virtualClock,
  withoutServerFields,
} from '../../runtime/testing/testing.ts'
import { startManager } from '../support/controller-manager.ts'
import { hangSignal } from '../support/deadline.ts'
import { apiserverCommand, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

/** A server that is reached one way or another. */
interface Way {
  readonly client: Client
  /** Lets time pass, which another process does by itself. */
  readonly passTime: () => Promise<void>
  readonly stop: () => Promise<unknown>
}

/** The request handler of this process, called without a socket. */
async function inProcess(): Promise<Way> {
  const clock = virtualClock()
  const controllers = ['garbage-collector-controller'] as const
  const plane = await startControlPlane({ clock, controllers })
  return { client: plane.client, passTime: () => clock.advanceAsync(10_000), stop: plane.stop }
}

/** The daemons, over HTTP and a file. */
async function overHttp(): Promise<Way> {
  const file = join(tempDirectory(), 'store.db')
  const flags = ['--insecure-port=0', `--storage=sqlite:${file}`, '--watch-history=1s']
  const server = await startProgram(apiserverCommand, flags)
  const controllers = ['--leader-elect=false', '--controllers=garbagecollector']
  const manager = startManager([`--master=${server.url}`, ...controllers])
  await manager.ready
  const client = createClient(httpTransport({ server: server.url }))
  const stop = async (): Promise<void> => {
    await client.close()
    await manager.stop()
    await server.stop()
  }
  return { client, passTime: async () => {}, stop }
}

/** Waits on either way until `read` gives something. */
const waitFor = <T>(way: Way, what: string, read: () => Promise<T | undefined | false>) =>
  until(what, async () => {
    await way.passTime()
    return read()
  })

/** What was answered, without what no two servers have in common; an error as it is told. */
async function answer(request: Promise<unknown>): Promise<unknown> {
  try {
    return withoutServerFields(await request)
  } catch (error) {
    if (!isStatus(error)) throw error
    const { reason, code, message, details } = error
    return { reason, code, message, details: { ...details, uid: undefined } }
  }
}

const gone = async (request: Promise<unknown>): Promise<boolean> => (await request) === undefined

const named = (name: string) => ({ metadata: { name } })

/** What a behaviour comes to, in words, and how it is tried: it gives what it saw, in order. Each has names of its own. */
interface Behaviour {
  readonly saw: string
  readonly of: (client: Client, way: Way) => Promise<readonly unknown[]>
}

/** The reason of each refusal, `seen` for what is no refusal. */
const inWords = (seen: readonly unknown[]): string =>
  seen.map((one) => (one as { reason?: string } | undefined)?.reason ?? 'seen').join(' ')

const behaviours: Readonly<Record<string, Behaviour>> = {
  'an object is created once': {
    saw: 'seen AlreadyExists Invalid BadRequest',
    async of(client) {
      const maps = client.resource(configMaps)
      const draft = { ...named('once'), data: { a: '1' } }
      return [
        await answer(maps.create(draft)),
        await answer(maps.create(draft)),
        await answer(maps.create({ metadata: { name: 'Wrong_Name' } })),
        await answer(maps.create({ ...draft, dat: {} } as never, { fieldValidation: 'Strict' })),
      ]
    },
  },

  'of two updates of one version the later one conflicts': {
    saw: 'seen Conflict seen',
    async of(client) {
      const maps = client.resource(configMaps)
      const read = await maps.create(named('updated'))
      return [
        await answer(maps.update({ ...read, data: { by: 'the first' } })),
        await answer(maps.update({ ...read, data: { by: 'the second' } })),
        await answer(maps.get('updated')),
      ]
    },
  },

  'appliers who disagree conflict until one forces': {
    saw: 'seen Conflict seen Conflict seen',
    async of(client) {
      const maps = client.resource(configMaps)
      const by = (manager: string) => ({ ...named('applied'), data: { colour: manager } })
      const apply = (manager: string, force = false) =>
        answer(maps.apply(by(manager), { manager, force }))
      return [
        await apply('red'),
        await apply('blue'),
        await apply('blue', true),
        await apply('red'),
        (await maps.get('applied')).metadata.managedFields?.map(({ manager, fieldsV1 }) => ({
          manager,
          fieldsV1,
        })),
      ]
    },
  },

  'status and the rest are written apart': {
    saw: 'seen seen',
    async of(client) {
      const sites = client.resource(websites)
      const site = { ...named('apart'), spec: { title: 'Apart' } }
      await sites.create({ ...site, status: { pages: 7 } })
      const read = await sites.get('apart')
      const generations = [read.metadata.generation]
      const status = await sites.updateStatus({
        ...read,
        spec: { title: 'No' },
        status: { pages: 2 },
      })
      generations.push(status.metadata.generation)
      const spec = await sites.update({ ...status, spec: { title: 'Yes' }, status: { pages: 3 } })
      generations.push(spec.metadata.generation)
      return [withoutServerFields([read, status, spec]), generations]
    },
  },

  'a finalizer keeps an object until it is taken off': {
    saw: 'seen Invalid seen NotFound',
    async of(client) {
      const maps = client.resource(configMaps)
      const finalizers = ['example.com/kept']
      await maps.create({ metadata: { name: 'kept', finalizers } })
      const deleted = await maps.delete('kept')
      return [
        withoutServerFields(deleted.object),
        await answer(maps.mergePatch('kept', { metadata: { finalizers: ['example.com/late'] } })),
        await answer(maps.mergePatch('kept', { metadata: { finalizers: [] } })),
        await answer(maps.get('kept')),
      ]
    },
  },

  'dependents go with their owner, unless they are orphaned': {
    saw: 'NotFound NotFound seen',
    async of(client, way) {
      const maps = client.resource(configMaps)
      const seen: unknown[] = []
      for (const propagationPolicy of ['Background', 'Foreground', 'Orphan'] as const) {
        const [name, child] = [
          `owner-${propagationPolicy.toLowerCase()}`,
          propagationPolicy.toLowerCase(),
        ]
        const { metadata } = await maps.create(named(name))
        const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: metadata.uid }
        const ownerReferences = [{ ...owner, blockOwnerDeletion: true }]
        await maps.create({ metadata: { name: child, ownerReferences } })
        await waitFor(way, 'the collector', async () => {
          await maps.delete(name, { propagationPolicy }).catch(() => {})
          return gone(maps.find(name))
        })
        const isOrphan = propagationPolicy === 'Orphan'
        if (!isOrphan) await waitFor(way, 'the end', () => gone(maps.find(child)))
        seen.push(await answer(maps.get(child)))
      }
      return seen
    },
  },

  'what is left out gets its default': {
    saw: 'seen seen',
    async of(client) {
      const labels = { app: 'filled' }
      const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } }
      const spec = { selector: { matchLabels: labels }, template }
      return [
        await answer(client.resource(deployments).create({ ...named('filled'), spec })),
        await answer(
          client.resource(websites).create({ ...named('filled'), spec: { title: 'T' } }),
        ),
      ]
    },
  },

  'a rule of the schema is kept': {
    saw: 'Invalid seen Invalid',
    async of(client) {
      const sites = client.resource(websites)
      const site = (pages: Record<string, string>) => ({
        ...named('ruled'),
        spec: { title: 'Ruled', pages },
      })
      return [
        await answer(sites.create(site({ 'a.txt': 'text' }))),
        await answer(sites.create(site({ 'a.html': 'text' }))),
        await answer(sites.mergePatch('ruled', { spec: { pages: { b: '' }, servers: 101 } })),
      ]
    },
  },

  'an object is read in each version of its kind': {
    saw: 'seen seen seen seen',
    async of(client) {
      const scaleTargetRef = { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' }
      const spec = { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 50 }
      return [
        await answer(client.resource(older).create({ ...named('converted'), spec })),
        await answer(client.resource(newer).get('converted')),
        await answer(client.resource(newer).mergePatch('converted', { spec: { metrics: null } })),
        await answer(client.resource(older).get('converted')),
      ]
    },
  },

  'a watch goes on from where it was, and after compaction from a list': {
    saw: 'seen Expired seen',
    async of(client, way) {
      const maps = client.resource(configMaps)
      const selection = { labelSelector: 'watched' }
      const draft = (name: string) => ({ metadata: { name, labels: { watched: 'yes' } } })
      const { resourceVersion } = await maps.listAll(selection)
      const from = { ...selection, resourceVersion }
      await maps.create(draft('watched-a'))
      await maps.mergePatch('watched-a', { data: { a: '1' } })
      await maps.create(draft('watched-b'))
      await maps.delete('watched-b')
      const events: unknown[] = []
      for await (const { type, object } of maps.watch(from, hangSignal())) {
        events.push({ type, object: withoutServerFields(object) })
        if (events.length === 4) break
      }
      const refused = await waitFor(way, 'the compaction', async () => {
        // Compaction passes over what is the latest state of something.
        await maps.mergePatch('watched-a', { data: { a: String(Math.random()) } })
        try {
          for await (const _ of maps.watch(from, hangSignal())) return undefined
        } catch (error) {
          if (isStatus(error, 'Expired')) return error
          throw error
        }
        return undefined
      })
      await maps.mergePatch('watched-a', { data: { a: 'last' } })
      const { items } = await maps.listAll(selection)
      return [events, { reason: refused.reason, code: refused.code }, withoutServerFields(items)]
    },
  },
}

const test = suite('conformance: in process and over HTTP')

let ways: readonly [Way, Way]

test.before(async () => {
  ways = await Promise.all([inProcess(), overHttp()])
  const file = 'examples/operator/generated/definitions/websites.web.example.com.yaml'
  const { metadata, spec } = parse(readFileSync(join(packageRoot, file), 'utf8'))
  for (const way of ways) {
    const definitions = way.client.resource(customResourceDefinitions)
    await definitions.create({ metadata, spec })
    await waitFor(way, 'the definition', async () => {
      const { status } = await definitions.get(metadata.name)
      return status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True')
    })
  }
})

test.after(async () => {
  await Promise.all(ways.map((way) => way.stop()))
})

for (const [fact, behaviour] of Object.entries(behaviours)) {
  test(fact, async () => {
    const [here = [], there] = await Promise.all(ways.map((way) => behaviour.of(way.client, way)))
    assert.is(inWords(here), behaviour.saw)
    assert.equal(there, here)
  })
}

test.run()
