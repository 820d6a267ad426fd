import { celEnv, parse as parseBuf, plan } from '@bufbuild/cel'
import { Environment as OtherEnvironment } from '@marcbachmann/cel-js'
import { evaluate as evaluateOld, parse as parseOld } from 'cel-js'
import { compile, createEnvironment, types } from '../../runtime/cel/cel.ts'
import { invariant } from '../../runtime/kernel/invariant.ts'

type Report = (
  name: string,
  value: number,
  unit: string,
  limit?: { name: string; value: number },
) => void

/** A rule, what a careful engineer would write by hand in its place, and how the smallest package must be asked. */
interface Rule {
  readonly name: string
  readonly source: string
  readonly byHand: (bindings: Bindings) => boolean
  readonly plainCalls?: string
}

interface Bindings {
  readonly self: Thing
  readonly oldSelf: Thing
}

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

type Run = () => unknown

const times = 20_000
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

const environment = createEnvironment({
  variables: ['self', 'oldSelf'].map((name) => ({ name, type: types.dynType })),
})

function ours(source: string, bindings: Readonly<Record<string, unknown>>): Run {
  const compiled = compile(source, environment)
  invariant(compiled.ok, `${source} compiles`)
  const { program } = compiled
  const outcome = program.evaluate(bindings)
  invariant(outcome.is === 'value' && outcome.value === true, `${source} is true`)
  return () => program.evaluate(bindings)
}

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

const functions = {
  startsWith: (text: string, prefix: string) => text.startsWith(prefix),
  matches: (text: string, pattern: string) => new RegExp(pattern).test(text),
}

/** Evaluation against hand-written closures and against every package, compiling, and the worst of expressions. */
export async function bench(report: Report): Promise<void> {
  const [self, oldSelf] = [thing(), thing()]
  const bindings = { self, oldSelf }
  const ratios = new Map<string, number>()
  for (const rule of rules) {
    const figures = cpu(
      new Map<string, Run>([
        ['by hand', () => rule.byHand(bindings)],
        ['orch', ours(rule.source, { ...bindings })],
        ...peers(rule, { ...bindings }),
      ]),
    )
    const limit = { name: 'by hand', value: figures.get('by hand') ?? 1 }
    for (const [name, value] of figures) {
      report(`${rule.name}: ${name}`, value, 'ns CPU', limit)
      ratios.set(name, (ratios.get(name) ?? 1) * (value / limit.value))
    }
  }
  for (const [name, product] of ratios) {
    report(`geometric mean: ${name}`, product ** (1 / rules.length), 'times by hand')
  }
  compiling(report)
  worst(report)
}

function compiling(report: Report): void {
  for (const { name, source } of rules) {
    const run = () => compile(source, environment)
    const figures = cpu(new Map([['', run]]))
    report(`parse, check and plan: ${name}`, (figures.get('') ?? 0) / 1000, 'us CPU')
  }
}

/** How long one evaluation holds the process until its limit stops it. */
function worst(report: Report): void {
  const list = Array.from({ length: 1000 }, (_, at) => at)
  const nest = (depth: number): string =>
    depth === 0 ? 'true' : `self.list.all(v${depth}, ${nest(depth - 1)})`
  const cases: readonly [string, string, unknown][] = [
    ['nested macros, 100 deep', nest(100), { list }],
    ['nested maps', 'self.list.map(a, self.list.map(b, self.list.map(c, a + b)))', { list }],
    [
      'errors that are absorbed',
      'self.list.all(a, self.list.all(b, dyn(b).x == 1 || true))',
      { list },
    ],
    ['equality of deep lists', 'self.list.all(a, self.deep == self.other)', deep(list)],
    [
      'sizes of a long string',
      'self.list.all(a, self.text.size() > a)',
      { list, text: 'é'.repeat(2_000_000) },
    ],
    [
      'a pattern of many states',
      "self.text.matches('(a?){500}(a?){500}b')",
      { text: 'a'.repeat(100_000) },
    ],
    ['a nested quantifier', "self.text.matches('^(a+)+$')", { text: `${'a'.repeat(2_000_000)}!` }],
    [
      'joined lists',
      'self.list.all(a, (self.list + self.list + self.list).all(b, true))',
      { list },
    ],
  ]
  for (const [name, source, self] of cases) {
    const compiled = compile(source, environment)
    invariant(compiled.ok, `${source} compiles`)
    const { program } = compiled
    const held = [1, 2, 3].map(() => {
      const before = process.hrtime.bigint()
      program.evaluate({ self })
      return Number(process.hrtime.bigint() - before) / 1e6
    })
    report(`held: ${name}`, median(held), 'ms')
  }
}

function deep(list: readonly number[]) {
  const make = () => [Array.from({ length: 100 }, () => list)]
  return { list, deep: make(), other: make() }
}
