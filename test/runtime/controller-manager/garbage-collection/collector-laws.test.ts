// The garbage collector on bad days: every deletion that it asks for is judged by what the server has as it arrives.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ConfigMap, configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { platform } from '../../../../generated/platform.ts'
import type { Client, Transport } from '../../../../runtime/client/client.ts'
import { controllersInProcess } from '../../../../runtime/controller-manager/controller-manager.ts'
import { enabledGatesOf } from '../../../../runtime/kernel/descriptors/enabled-gates.ts'
import type { Stored } from '../../../../runtime/kernel/meta/object.ts'
import { silentLog } from '../../../../runtime/observe/observe.ts'
import { explore, type World } from '../../../../runtime/testing/testing.ts'
import { badDayOf } from '../../../support/fault-world.ts'

const test = suite(
  'runtime/controller-manager: laws of the garbage collector (X-08, X-09, X-10, X-13)',
)

const policies = ['Background', 'Foreground', 'Orphan'] as const
const absent = { apiVersion: 'v1', kind: 'ConfigMap', name: 'absent', uid: 'absent' }

/** Maps that own each other, and what must become of them. */
class Families {
  readonly broken: string[] = []
  /** Owners that users deleted and whose dependents stay. */
  readonly #orphaning = new Set<string>()
  readonly #maps
  readonly #world: World
  #made = 0

  constructor(world: World) {
    this.#world = world
    this.#maps = world.plane.client.resource(configMaps).in('default')
  }

  async all(): Promise<readonly Stored<ConfigMap>[]> {
    const { items } = await this.#maps.listAll()
    return items.filter(({ metadata }) => metadata.name.startsWith('m'))
  }

  /** One thing that users do: a map comes that some others own, or one goes, with or without what it owns. */
  async disturb(): Promise<void> {
    const { random } = this.#world
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
    const staying = (await this.all()).filter((one) => one.metadata.deletionTimestamp === undefined)
    if (staying.length > 0 && random() < 0.3) {
      const { metadata } = pick(staying)
      const propagationPolicy = pick(policies)
      if (propagationPolicy === 'Orphan') this.#orphaning.add(metadata.uid)
      await this.#maps.delete(metadata.name, { propagationPolicy })
      return
    }
    const owners = new Map<string, object>()
    for (let count = Math.floor(random() * 3); count > 0 && staying.length > 0; count--) {
      const { name, uid } = pick(staying).metadata
      const blockOwnerDeletion = random() < 0.7
      owners.set(uid, { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion })
    }
    if (random() < 0.2) owners.set('absent', absent)
    const ownerReferences = [...owners.values()] as never
    await this.#maps.create({ metadata: { name: `m${this.#made++}`, ownerReferences } })
  }

  /** A way to the server that judges what goes through it. */
  through(transport: Transport): Transport {
    return {
      close: () => transport.close(),
      send: async (request) => {
        const [, name] = /\/configmaps\/(m\d+)$/.exec(request.path) ?? []
        if (request.method === 'DELETE' && name !== undefined) await this.#judge(name, request.body)
        return transport.send(request)
      },
    }
  }

  async #judge(name: string, body: unknown): Promise<void> {
    const map = await this.#maps.find(name)
    const { preconditions } = JSON.parse(String(body)) as { preconditions?: { uid?: string } }
    if (preconditions?.uid === undefined) this.broken.push(`${name}: whichever has that name`)
    if (map === undefined || map.metadata.uid !== preconditions?.uid) return
    if (map.metadata.resourceVersion !== versionIn(body)) return
    const owners = map.metadata.ownerReferences ?? []
    if (owners.length === 0) this.broken.push(`${name}: nothing owns it`)
    const present = new Map((await this.all()).map((one) => [one.metadata.uid, one]))
    const keeping = owners.filter(({ uid }) => {
      const owner = present.get(uid)
      if (owner === undefined) return false
      return owner.metadata.finalizers?.includes('foregroundDeletion') !== true
    })
    if (keeping.length > 0) this.broken.push(`${name}: ${keeping[0]?.name} owns it`)
    if (owners.every(({ uid }) => this.#orphaning.has(uid)))
      this.broken.push(`${name}: its owners left it`)
  }

  /** True if nothing is left to be done: what is there has only owners that are there, and nothing is on its way out. */
  async isSettled(): Promise<boolean> {
    const all = await this.all()
    const uids = new Set(all.map(({ metadata }) => metadata.uid))
    return all.every(
      ({ metadata: { deletionTimestamp, ownerReferences = [] } }) =>
        deletionTimestamp === undefined && ownerReferences.every(({ uid }) => uids.has(uid)),
    )
  }
}

function versionIn(body: unknown): string | undefined {
  return (JSON.parse(String(body)) as { preconditions?: { resourceVersion?: string } })
    .preconditions?.resourceVersion
}

test('nothing that somebody owns is deleted, orphans stay, and every history ends with what has its owners', async () => {
  let left = 0
  await explore(
    async (world) => {
      const { clock, plane, random } = world
      const families = new Families(world)
      const make = (client: Client) =>
        controllersInProcess({
          ...{ controllers: ['garbage-collector-controller'], platform, clock, log: silentLog },
          ...{ gates: enabledGatesOf(plane.scheme), clientAs: () => client },
        })
      const collector = await badDayOf(world, 'collector', make, families.through(plane.transport))
      for (let step = 0; step < 30; step++) {
        await families.disturb()
        if (random() < 0.1) await collector.restart()
        if (random() < 0.6) await world.advance(Math.floor(random() * 1500))
        assert.is(families.broken.join('; '), '')
      }
      collector.mend()
      await world.until(() => families.isSettled())
      assert.is(families.broken.join('; '), '')
      left += (await families.all()).length
      await collector.stop()
    },
    { seeds: 5 },
  )
  assert.ok(left > 0)
})

test.run()
