/** Definitions that are large in one way each: in bytes, in depth, in versions, in columns, in rules. */
import {
  conditions,
  intOrString,
  keyed,
  list,
  map,
  object,
  oneOf,
  quantity,
  rules,
  type Schema,
  type Style,
  style,
  text,
  whole,
} from './styles.ts'

/** About the words that a field of a large API is described with. */
function described(schema: Schema, about: string): Schema {
  const words = `${about} is what its owner asks for. It can be left out, and then the controller decides. `
  return { description: words.repeat(3).trim(), ...schema }
}

/** A part of a workload, with the fields that such parts have. */
function container(name: string): Schema {
  const texts = ['image', 'workingDir', 'pullPolicy', 'terminationPath', 'terminationPolicy']
  const probe = object({
    exec: object({ command: list(text()) }),
    http: object({ path: text(), port: intOrString, scheme: oneOf('HTTP', 'HTTPS') }),
    period: whole({ format: 'int32', default: 10 }),
    failures: whole({ format: 'int32', minimum: 1 }),
  })
  const env = object({ name: text(), value: text() }, { required: ['name'] })
  const ports = object(
    { port: whole(), protocol: text({ default: 'TCP' }) },
    { required: ['port'] },
  )
  const fields = {
    ...Object.fromEntries(texts.map((one) => [one, text()])),
    env: keyed(['name'], env),
    ports: keyed(['port', 'protocol'], ports),
    liveness: probe,
    readiness: probe,
    startup: probe,
    limits: map(quantity),
    mounts: list(object({ name: text(), path: text(), sub: text() }, { required: ['name'] })),
  }
  const properties = Object.entries(fields).map(([field, schema]) => [
    field,
    described(schema, `The ${field} of ${name}`),
  ])
  return object({ name: text(), ...Object.fromEntries(properties) }, { required: ['name'] })
}

/** A spec of about `bytes` bytes, like those that embed whole workloads several times. */
function largeSpec(bytes: number): Schema {
  const parts: Record<string, Schema> = {}
  for (let count = 0; JSON.stringify(parts).length < bytes; count++) {
    parts[`part${count}`] = object({
      containers: list(container(`part ${count}`), { maxItems: 20 }),
      affinity: described(nested(6), 'The affinity'),
      replicas: whole({ minimum: 0 }),
    })
  }
  return object(
    parts,
    rules([
      '!has(self.part0) || !has(self.part0.replicas) || self.part0.replicas < 100',
      'not so many',
    ]),
  )
}

function nested(levels: number): Schema {
  if (levels === 0) return object({ leaf: text({ maxLength: 10 }) })
  return object({ name: text(), next: nested(levels - 1), several: list(text()) })
}

/** The value that fits `nested`, with a leaf. */
function nestedValue(levels: number, leaf: string): object {
  return levels === 0 ? { leaf } : { next: nestedValue(levels - 1, leaf) }
}

const columnPaths = Array.from({ length: 60 }, (_, at) => `field${at}`)

/** The definitions of this file, each with a good object and a bad one. */
export const largeStyles: readonly Style[] = [
  style({
    kind: 'WholeWorkload',
    group: 'large.example.org',
    spec: largeSpec(900_000),
    status: object({ conditions }),
    good: { part0: { replicas: 1, containers: [{ name: 'a', ports: [{ port: 1 }] }] } },
    bad: { part0: { replicas: 100 } },
    refusal: 'not so many',
  }),
  style({
    kind: 'ManyVersions',
    group: 'large.example.org',
    versions: Array.from({ length: 20 }, (_, at) => `v${20 - at}`),
    spec: largeSpec(20_000),
    good: { part0: { containers: [{ name: 'a', env: [{ name: 'x' }] }] } },
    bad: { part0: { containers: [{ env: [] }] } },
    refusal: 'spec.part0.containers[0].name: Required value',
  }),
  style({
    kind: 'DeepNest',
    group: 'large.example.org',
    spec: nested(80),
    good: nestedValue(80, 'short'),
    bad: nestedValue(80, 'much too long'),
    refusal: 'Too long: may not be longer than 10',
  }),
  style({
    kind: 'WideTable',
    group: 'large.example.org',
    spec: object(Object.fromEntries(columnPaths.map((path) => [path, text()]))),
    version: {
      additionalPrinterColumns: columnPaths.map((path) => ({
        name: path,
        type: 'string',
        jsonPath: `.spec.${path}`,
      })),
    },
    good: Object.fromEntries(columnPaths.map((path) => [path, path])),
    bad: { field59: 59 },
    refusal: 'spec.field59 in body must be of type string',
  }),
  style({
    kind: 'ManyRules',
    group: 'large.example.org',
    spec: object(
      { numbers: list(whole(), { maxItems: 50 }), name: text({ maxLength: 40 }) },
      rules(
        ...Array.from(
          { length: 100 },
          (_, at) =>
            [
              `!has(self.numbers) || self.numbers.all(n, n != ${at + 1000}) || self.name == 'n${at}'`,
              `${at + 1000} has its own name`,
            ] as const,
        ),
      ),
    ),
    good: { numbers: [1, 2, 3], name: 'a' },
    bad: { numbers: [1050], name: 'a' },
    refusal: '1050 has its own name',
  }),
]
