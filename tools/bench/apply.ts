import { scheme } from '../../generated/scheme.ts'
import { emptyObjectOf, recordsOf, trackWrite } from '../../runtime/apply/apply.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { invariant } from '../../runtime/kernel/errors/invariant.ts'
import { createReport } from '../../runtime/kernel/validation/field-error.ts'
import type { JsonObject } from '../../runtime/kernel/values/json.ts'
import { bootstrap, createRegistry } from '../../runtime/registry/registry.ts'
import { decodeJson, encodeJson, withResourceVersion } from '../../runtime/serializer/serializer.ts'
import { openSqliteStore } from '../../runtime/store/store.ts'
import { createWatchCache } from '../../runtime/watch/watch.ts'
import type { Report } from './report.ts'

/** As a client sends them that says nothing but its name. */
const options = { dryRun: false, fieldValidation: 'Warn', manager: 'bench' } as const

/** CPU of an apply, and of the work that managers cost a write, for a Deployment of 2 KiB. */
export async function bench(report: Report): Promise<void> {
  const clock = systemClock
  const log = await openSqliteStore({ filename: ':memory:', clock })
  const store = await createWatchCache(log, { clock, stampResourceVersion: withResourceVersion })
  const registry = createRegistry({ store, scheme, clock })
  await bootstrap(registry)
  const kind = scheme.routes['apis/apps/v1/deployments']
  invariant(kind !== undefined, 'the scheme has Deployments')
  const target = { kind, namespace: 'default', name: 'bench' }
  const text = encodeJson(config())
  const apply = (bytes: Uint8Array) => registry.patch(target, 'apply', decodeJson(bytes), options)
  await apply(text)
  const { bytes } = await registry.get(target, {})
  const limit = {
    name: 'reading the object and writing it again',
    value: await cpu(async () => void JSON.stringify(JSON.parse(Buffer.from(bytes).toString()))),
  }
  const goal = { atMost: 300 }
  report('apply that changes nothing', await cpu(() => apply(text)), 'us CPU', limit, goal)
  let replicas = 0
  const changing = () => {
    replicas++
    return apply(encodeJson(config(replicas)))
  }
  report('apply that changes a field', await cpu(changing), 'us CPU', limit)
  const object = kind.read(config(), createReport()) as unknown as JsonObject
  const view = { merge: kind.merge, restrict: same, convert: same }
  const writer = { manager: 'bench', apiVersion: 'apps/v1' }
  const track = async () =>
    void recordsOf(trackWrite([], emptyObjectOf(kind), object, writer, () => view, ''))
  report('managers of a new object', await cpu(track), 'us CPU', limit)
  await store.close()
}

/** Every version of a Deployment has the same form, so that nothing is converted. */
function same<T>(value: T): T {
  return value
}

/** Microseconds of processor time of one call: the mean of `times`, after as many that only warm the code up. */
async function cpu(work: () => Promise<unknown>, times = 3000): Promise<number> {
  for (let count = 0; count < times; count++) await work()
  const before = process.cpuUsage()
  for (let count = 0; count < times; count++) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}

/** A Deployment of about 2 KiB: two containers with sixteen variables each. The replicas are what a change changes. */
function config(replicas = 1): JsonObject {
  const env = Array.from({ length: 16 }, (_, index) => ({
    name: `VARIABLE_${index}`,
    value: `value of variable ${index}`,
  }))
  const labels = { app: 'bench', tier: 'front' }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'bench', labels, annotations: { note: 'x'.repeat(200) } },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'bench' } },
      template: {
        metadata: { labels },
        spec: {
          containers: ['main', 'side'].map((name) => ({
            name,
            image: `example.com/${name}:1`,
            env,
            ports: [{ containerPort: name === 'main' ? 80 : 81 }],
          })),
        },
      },
    },
  }
}
