import { scheme } from '../../generated/scheme.ts'
import { type InProcessServer, startInProcessServer } from './in-process-server.ts'
import type { Report } from './report.ts'

/** What a create of a custom resource with ten rules costs beside the same without rules, in turns. */
export async function bench(report: Report): Promise<void> {
  const server = await startInProcessServer()
  try {
    await define(server, 'Plain', [])
    await define(server, 'Ruled', rules)
    await compared(server, report)
  } finally {
    await server.stop()
  }
}

/** One of each form that authors use: comparisons, texts, macros, absent fields, a pattern, a macro in a macro. */
const rules: readonly string[] = [
  'self.min <= self.replicas',
  'self.replicas <= self.max',
  "self.image.contains(':')",
  "self.mode != 'strict' || self.replicas > 1",
  'self.ports.all(p, p.port > 0 && p.port < 65536)',
  "self.ports.exists(p, p.name == 'http')",
  'self.labels.all(key, size(key) <= 63)',
  "!has(self.schedule) || self.schedule.matches('^[0-9*/ ,-]+$')",
  'size(self.name) > 0 && size(self.name) <= 63',
  'self.ports.all(a, self.ports.exists_one(b, a.name == b.name))',
]

/** Batches of each kind, in turns, so that what else goes on meets both alike. */
const rounds = 40
/** Creates whose mean is one figure. */
const batch = 100

/** The kinds change places each round: the second of two profits from what the first warmed up. */
async function compared(server: InProcessServer, report: Report): Promise<void> {
  const spent = { Plain: [] as number[], Ruled: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? (['Plain', 'Ruled'] as const) : (['Ruled', 'Plain'] as const)
    for (const kind of order) spent[kind].push(await creating(server, kind, round))
  }
  const limit = { name: 'the same without rules', value: middle(spent.Plain) }
  report('create with ten rules', middle(spent.Ruled), 'us', limit, { atMost: 1.5, of: 'limit' })
}

/** The median of the second half, when everything is warm. */
function middle(times: readonly number[]): number {
  const warm = times.slice(times.length / 2).sort((a, b) => a - b)
  return warm[Math.floor(warm.length / 2)] ?? 0
}

/** Microseconds of one create, over a batch whose bodies are made before. */
async function creating(server: InProcessServer, kind: string, round: number): Promise<number> {
  const path = collectionOf(kind)
  const bodies = Array.from({ length: batch }, (_, at) => bodyOf(kind, `o-${round}-${at}`))
  const began = performance.now()
  for (const body of bodies) await server.request('POST', path, body)
  return ((performance.now() - began) * 1000) / batch
}

/** The path of a kind of this benchmark. */
function collectionOf(kind: string): string {
  return `/apis/bench.example.com/v1/namespaces/default/${kind.toLowerCase()}s`
}

/** An object that satisfies every rule. */
function bodyOf(kind: string, name: string): object {
  const ports = ['http', 'https', 'metrics', 'admin'].map((one, at) => ({
    name: one,
    port: 80 + at,
  }))
  const labels = { app: name, tier: 'front', team: 'a', zone: 'b' }
  const spec = {
    name,
    min: 1,
    max: 9,
    replicas: 3,
    mode: 'strict',
    image: 'example/app:1',
    ports,
    labels,
  }
  return { apiVersion: 'bench.example.com/v1', kind, metadata: { name }, spec }
}

/** Defines a kind whose spec has these rules, and bounds that let them be estimated. */
async function define(
  server: InProcessServer,
  kind: string,
  validations: readonly string[],
): Promise<void> {
  const extension = `x-${scheme.platform.extension}-validations`
  const text = { type: 'string', maxLength: 63 }
  const port = { type: 'object', properties: { name: text, port: { type: 'integer' } } }
  const number = { type: 'integer' }
  const spec = {
    type: 'object',
    ...(validations.length > 0 && { [extension]: validations.map((rule) => ({ rule })) }),
    properties: {
      name: text,
      min: number,
      max: number,
      replicas: number,
      mode: text,
      image: { type: 'string', maxLength: 255 },
      schedule: text,
      ports: { type: 'array', maxItems: 20, items: port },
      labels: { type: 'object', maxProperties: 20, additionalProperties: text },
    },
  }
  const plural = `${kind.toLowerCase()}s`
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  await server.define({
    metadata: { name: `${plural}.bench.example.com` },
    spec: {
      group: 'bench.example.com',
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  })
}
