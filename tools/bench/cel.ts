import { celEnv, parse as parseBuf, plan } from '@bufbuild/cel'
import { Environment as OtherEnvironment } from '@marcbachmann/cel-js'
import { evaluate as evaluateOld, parse as parseOld } from 'cel-js'
import {
  apiLibraries,
  compile,
  createEnvironment,
  type Environment,
  readSchema,
  schemaType,
  types,
  withVariables,
} from '../../runtime/cel/cel.ts'
import { invariant } from '../../runtime/kernel/errors/invariant.ts'
import { compileWorst, prepare, worstCases, worstSources } from './cel-worst.ts'
import type { Report } from './report.ts'

/** A rule, what a careful engineer would write by hand in its place, and how the smallest package must be asked. */
interface Rule {
  readonly name: string
  readonly source: string
  readonly byHand: (bindings: Bindings) => boolean
  readonly plainCalls?: string
}

/** The variables of a rule. */
interface Bindings {
  readonly self: Thing
  readonly oldSelf: Thing
}

/** What rules look at: of every form that fields have. */
interface Thing {
  readonly name: string
  readonly replicas: number
  readonly maxReplicas: number
  readonly items: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  readonly x?: readonly string[]
  readonly spec: {
    readonly containers: readonly { readonly name: string; readonly image: string }[]
  }
}

/** Compiled once, as an engineer would write it. */
const registry = /^reg\/.*/
const rules: readonly Rule[] = [
  {
    name: 'two numbers',
    source: 'self.replicas <= self.maxReplicas',
    byHand: ({ self }) => self.replicas <= self.maxReplicas,
  },
  {
    name: 'all of ten strings',
    source: "self.items.all(x, x.startsWith('a'))",
    plainCalls: "self.items.all(x, startsWith(x, 'a'))",
    byHand: ({ self }) => self.items.every((item) => item.startsWith('a')),
  },
  {
    name: 'a container by name and pattern',
    source: "self.spec.containers.exists(c, c.name == 'main' && c.image.matches('^reg/.*'))",
    plainCalls: "self.spec.containers.exists(c, c.name == 'main' && matches(c.image, '^reg/.*'))",
    byHand: ({ self }) =>
      self.spec.containers.some(({ name, image }) => name === 'main' && registry.test(image)),
  },
  {
    name: 'absent or small',
    source: '!has(self.x) || self.x.size() < 10',
    plainCalls: '!has(self.x) || size(self.x) < 10',
    byHand: ({ self }) => self.x === undefined || self.x.length < 10,
  },
  {
    name: 'unchanged name',
    source: 'oldSelf.name == self.name',
    byHand: ({ self, oldSelf }) => oldSelf.name === self.name,
  },
  {
    name: 'labels and names',
    source:
      "self.labels.all(k, self.labels[k].size() <= 63) && self.spec.containers.map(c, c.name).exists(n, n == 'main')",
    plainCalls:
      "self.labels.all(k, size(self.labels[k]) <= 63) && self.spec.containers.map(c, c.name).exists(n, n == 'main')",
    byHand: ({ self }) =>
      Object.keys(self.labels).every((key) => (self.labels[key] ?? '').length <= 63) &&
      self.spec.containers.map(({ name }) => name).some((name) => name === 'main'),
  },
]

/** Made of JSON text, so that objects have the shapes that a parser gives them. */
function thing(): Thing {
  const text = (count: number, of: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => of(at))
  return JSON.parse(
    JSON.stringify({
      name: 'web',
      replicas: 3,
      maxReplicas: 9,
      items: text(10, (at) => `a-${at}`),
      labels: Object.fromEntries(text(5, (at) => `label-${at}`).map((key) => [key, `of ${key}`])),
      x: ['one', 'two'],
      spec: {
        containers: ['side', 'init', 'main'].map((name) => ({ name, image: `reg/${name}:1` })),
      },
    }),
  )
}

/** One evaluation or compilation. */
type Run = () => unknown

/** Calls of one run in a round; slow ones stop after a tenth of a second. */
const times = 20_000
/** Rounds of all runs in turns; the first only warms up. */
const rounds = 15

/** CPU of one call in nanoseconds, medians of rounds in which the runs take turns. */
function cpu(runs: ReadonlyMap<string, Run>): ReadonlyMap<string, number> {
  const samples = new Map([...runs.keys()].map((name) => [name, [] as number[]]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of runs) {
      const before = process.cpuUsage()
      let count = 0
      for (; count < times; count++) {
        if (count % 1000 === 0 && spent(before) > 100_000) break
        run()
      }
      if (round > 0) samples.get(name)?.push((spent(before) * 1000) / Math.max(count, 1))
    }
  }
  return new Map([...samples].map(([name, values]) => [name, median(values)]))
}

function spent(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return user + system
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
}

const names = ['self', 'oldSelf']
const base = createEnvironment({ libraries: apiLibraries })
const dynamic = withVariables(
  base,
  names.map((name) => ({ name, type: types.dynType })),
)

const text = { type: 'string', maxLength: 100 }
const schema = {
  type: 'object',
  properties: {
    name: text,
    replicas: { type: 'integer' },
    maxReplicas: { type: 'integer' },
    items: { type: 'array', maxItems: 100, items: text },
    labels: { type: 'object', maxProperties: 100, additionalProperties: text },
    x: { type: 'array', maxItems: 100, items: text },
    spec: {
      type: 'object',
      properties: {
        containers: {
          type: 'array',
          maxItems: 100,
          items: { type: 'object', properties: { name: text, image: text } },
        },
      },
    },
  },
}

function typed(): Environment {
  const found = schemaType(readSchema(schema, { prefixes: ['orch'] }), 'self')
  invariant(found !== undefined, 'the schema is visible')
  const { type, read, bounds } = found
  return withVariables(
    base,
    names.map((name) => ({ name, type, read, bounds })),
  )
}

/** An evaluation by this engine, compiled before, with the answer checked once. */
function ours(
  source: string,
  environment: Environment,
  bindings: Readonly<Record<string, unknown>>,
): Run {
  const compiled = compile(source, environment)
  invariant(compiled.ok, `${source} compiles`)
  const { program } = compiled
  const outcome = program.evaluate(bindings)
  invariant(outcome.is === 'value' && outcome.value === true, `${source} is true`)
  return () => program.evaluate(bindings)
}

/** The same by the other packages. They read the source once, too. */
function peers({ source, plainCalls }: Rule, bindings: Record<string, unknown>): [string, Run][] {
  const program = new OtherEnvironment({ unlistedVariablesAreDyn: true }).parse(source)
  const planned = plan(celEnv(), parseBuf(source)) as (bindings: unknown) => unknown
  const parsed = parseOld(plainCalls ?? source)
  invariant(parsed.isSuccess, `${source} is read`)
  return [
    ['@marcbachmann/cel-js', () => program(bindings)],
    ['@bufbuild/cel', () => planned(bindings)],
    ['cel-js', () => evaluateOld(parsed.cst, bindings, functions)],
  ]
}

/** What the smallest package lacks. */
const functions = {
  startsWith: (text: string, prefix: string) => text.startsWith(prefix),
  matches: (text: string, pattern: string) => new RegExp(pattern).test(text),
}

/** Evaluation against hand-written closures and against every package, compiling, and the worst of expressions. */
export async function bench(report: Report): Promise<void> {
  const ratios = new Map<string, number>()
  for (const rule of rules) evaluating(rule, ratios, report)
  for (const [name, product] of ratios) {
    const goal = name.startsWith('orch') ? { atMost: 12 } : undefined
    report(`geometric mean: ${name}`, product ** (1 / rules.length), 'times', undefined, goal)
  }
  compiling(report)
  worst(report)
}

/** One rule by every engine; what it costs in shares of the hand-written form goes into `ratios`. */
function evaluating(rule: Rule, ratios: Map<string, number>, report: Report): void {
  const bindings = { self: thing(), oldSelf: thing() }
  const figures = cpu(
    new Map<string, Run>([
      ['by hand', () => rule.byHand(bindings)],
      ['orch, dynamic', ours(rule.source, dynamic, { ...bindings })],
      ['orch, typed by a schema', ours(rule.source, typed(), { ...bindings })],
      ...peers(rule, { ...bindings }),
    ]),
  )
  const limit = { name: 'by hand', value: figures.get('by hand') ?? 1 }
  for (const [name, value] of figures) {
    report(`${rule.name}: ${name}`, value, 'ns CPU', limit)
    ratios.set(name, (ratios.get(name) ?? 1) * (value / limit.value))
  }
}

/** Reading, checking and planning a source: what a definition pays for each of its rules. */
function compiling(report: Report): void {
  const goal = { atMost: 100 }
  const medians = new Map<string, number[]>()
  for (const { source } of rules) {
    const environment = typed()
    const figures = cpu(
      new Map<string, Run>([
        ['dynamic', () => compile(source, dynamic)],
        ['typed by a schema', () => compile(source, environment)],
      ]),
    )
    for (const [name, value] of figures) {
      medians.set(name, [...(medians.get(name) ?? []), value / 1000])
    }
  }
  for (const [name, values] of medians) {
    report(`parse, check and plan, median: ${name}`, median(values), 'us CPU', undefined, goal)
    report(`parse, check and plan, slowest: ${name}`, Math.max(...values), 'us CPU')
  }
}

/** The median of five: an evaluation that is stopped is one long turn, and noise is short beside it. */
const attempts = 5

/** How long one evaluation holds the process until its limit stops it, and how long one compilation does. */
function worst(report: Report): void {
  for (const one of worstCases) {
    report(`held: ${one.name}`, held(prepare(one)), 'ms', undefined, { atMost: 50 })
  }
  for (const one of worstSources) {
    const name = `held: compiling ${one.name}`
    report(
      name,
      held(() => compileWorst(one)),
      'ms',
      undefined,
      { atMost: 500 },
    )
  }
}

/** Milliseconds of one run without a turn of the event loop in between. */
function held(run: Run): number {
  const times = Array.from({ length: attempts }, () => {
    const before = process.hrtime.bigint()
    run()
    return Number(process.hrtime.bigint() - before) / 1e6
  })
  return median(times)
}
