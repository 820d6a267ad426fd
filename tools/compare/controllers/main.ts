/**
 * Compares what two controller managers make of the same scenarios: `npm run compare:controllers -- --reference PROGRAM`. Each
 * works on a fresh server of our own with the public names. A tool for those who work on orch: nothing that must pass everywhere runs it.
 */
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { runAgent } from './agent.ts'
import { type Any, Cluster } from './cluster.ts'
import { differencesOf } from './differences.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import { type JudgedLine, judged } from './races.ts'
import { randomScenarios } from './random/random.ts'
import { type ManagerProgram, type RunningManager, startManager, type Write } from './running.ts'
import { autoscaling } from './scenarios/autoscaling.ts'
import { batch } from './scenarios/batch.ts'
import { certificates } from './scenarios/certificates.ts'
import { collection } from './scenarios/collection.ts'
import { gated } from './scenarios/gated.ts'
import { identity } from './scenarios/identity.ts'
import { network } from './scenarios/network.ts'
import type { ControllerScenario } from './scenarios/shapes.ts'
import { storage } from './scenarios/storage.ts'
import { workloads } from './scenarios/workloads.ts'

const usage = `usage: npm run compare:controllers -- [--reference PROGRAM] [WORD ...] [--random SEED[:COUNT]] [--at-once N] [--json FILE] [--log FILE]

Runs the scenarios whose names hold a word (all without one) under the controller manager PROGRAM and under ours, and prints what
differs afterwards: values of objects, events, and writes of which ours sends more. "-" is what the reference has, "+" what ours has.
What two runs of one manager may come to differently, too, is marked with "~" and the reason, and is no failure.
Without a reference it runs ours alone, and says how long that took and what was sent. Scenarios begin when the start of the server and of the
controller manager is over; all of them run at once, or N at a time (random ones 24).

--random runs COUNT (10) histories of each world of random/worlds.ts in place of the scenarios that were written by hand: operations drawn from
SEED, each after controllers have come to rest from the one before. The history of one that differs is printed with it; its name as a WORD
runs it again.`

const gates = [
  'ValidatingAdmissionPolicy=true',
  'DynamicResourceAllocation=true',
  'MultiCIDRServiceAllocator=true',
  'APIServerIdentity=true',
  'StorageVersionAPI=true',
]
const flags = [
  '--node-monitor-grace-period=600s',
  ...['--allocate-node-cidrs', '--cluster-cidr=10.244.0.0/16', '--configure-cloud-routes=false'],
  '--horizontal-pod-autoscaler-sync-period=3s',
  ...['--kube-api-qps=300', '--kube-api-burst=600'],
  '--attach-detach-reconcile-sync-period=5s',
]

/** Slices that few addresses fill. */
const randomFlags = ['--max-endpoints-per-slice=5', '--mirroring-max-endpoints-per-subset=3']

const written: ReadonlyMap<string, ControllerScenario> = new Map(
  [
    workloads,
    batch,
    network,
    storage,
    identity,
    certificates,
    collection,
    autoscaling,
    gated,
  ].flatMap((one) => Object.entries(one)),
)

/** What one controller manager made of the scenarios. */
interface Run {
  readonly outcomes: ReadonlyMap<string, Outcome>
  readonly missed: readonly string[]
  readonly seconds: number
  /** Until everything had come that a scenario waits for. */
  readonly secondsOf: ReadonlyMap<string, number>
  readonly cpuSeconds: number
  /** What scenarios sent themselves. */
  readonly histories: ReadonlyMap<string, readonly string[]>
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      reference: { type: 'string' },
      random: { type: 'string' },
      'at-once': { type: 'string' },
      json: { type: 'string' },
      log: { type: 'string' },
      help: { type: 'boolean' },
    },
    allowPositionals: true,
  })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const scenarios = new Map(
    [...(values.random === undefined ? written : randomScenarios(values.random))].filter(
      ([name]) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
    ),
  )
  const names = [...scenarios.keys()]
  const atOnce = values.random === undefined ? names.length : 24
  const runs: Run[] = []
  const { reference: file } = values
  for (const program of [
    ...(file === undefined ? [] : [{ name: 'reference', file } as const]),
    { name: 'ours' } as const,
  ]) {
    const run = await runAll(
      {
        ...program,
        flags: values.random === undefined ? flags : [...flags, ...randomFlags],
        gates,
      },
      scenarios,
      Number(values['at-once'] ?? atOnce),
      values.log && `${values.log}.${program.name}`,
    )
    runs.push(run)
    console.log(summaryOf(program.name, run))
    for (const one of run.missed) console.log(`  in vain: ${one}`)
  }
  if (file === undefined) return 0
  const [reference, ours] = runs as [Run, Run]
  const found = Object.fromEntries(names.map((name) => [name, compared(name, ours, reference)]))
  console.log(timesOf(names, ours, reference))
  for (const [name, lines] of Object.entries(found)) {
    const title = `${name} (${settledIn(name, ours)}, reference ${settledIn(name, reference)})`
    const shown = lines.map(({ line, why }) => (why === undefined ? line : `~ ${line}\n    ${why}`))
    console.log(lines.length === 0 ? `= ${title}` : `\n# ${title}\n${shown.join('\n')}\n`)
    if (values.random !== undefined && lines.some(({ why }) => why === undefined))
      console.log(`${ours.histories.get(name)?.join('\n')}\n`)
  }
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(found, null, 2))
  const all = Object.values(found).flat()
  const left = all.filter(({ why }) => why === undefined).length
  console.log(
    `${all.length} differences, ${all.length - left} of them by timing, ${left} not explained`,
  )
  return left > 0 ? 1 : 0
}

/** What differs in one scenario, with what explains it. */
function compared(name: string, ours: Run, reference: Run): readonly JudgedLine[] {
  const mine = ours.outcomes.get(name) as Outcome
  const theirs = reference.outcomes.get(name) as Outcome
  return judged(name, differencesOf(mine, theirs), mine, theirs)
}

/** Which of the two settled the scenarios sooner. Half a second is what looking at intervals makes of one. */
function timesOf(names: readonly string[], ours: Run, reference: Run): string {
  const apart = names.map((name) => ({
    name,
    seconds: (ours.secondsOf.get(name) ?? 0) - (reference.secondsOf.get(name) ?? 0),
  }))
  const later = apart.filter(({ seconds }) => seconds > 0.5)
  const sooner = apart.filter(({ seconds }) => seconds < -0.5)
  const median = apart.map(({ seconds }) => seconds).sort((one, other) => one - other)[
    names.length >> 1
  ]
  const shown = later.map(({ name, seconds }) => `${name} ${seconds.toFixed(1)} s`).join(', ')
  return `ours settled ${sooner.length} scenarios sooner, ${later.length} later (${shown}), by ${median?.toFixed(2)} s in the median`
}

/** How long a scenario took until everything had come. */
function settledIn(name: string, { secondsOf }: Run): string {
  const seconds = secondsOf.get(name)
  return seconds === undefined ? 'not settled' : `${seconds.toFixed(2)} s`
}

/** How long a run took, and what was written. */
function summaryOf(name: string, { seconds, cpuSeconds, outcomes }: Run): string {
  const all = [...outcomes.values()].flatMap(({ writes }) => [...writes])
  const sum = (counts: typeof all) => counts.reduce((total, [, count]) => total + count, 0)
  const refused = sum(all.filter(([what]) => / \d{3} by /.test(what)))
  const took = `${seconds.toFixed(1)} s, ${cpuSeconds} s of a processor`
  return `${name}: ${took}, ${sum(all)} writes, ${refused} of them refused`
}

async function runAll(
  program: ManagerProgram,
  scenarios: ReadonlyMap<string, ControllerScenario>,
  atOnce: number,
  log?: string,
): Promise<Run> {
  const manager = await startManager(program)
  const stop = new AbortController()
  const agent = runAgent(manager.url, stop.signal)
  await started(manager)
  const start = Date.now()
  const missed: string[] = []
  const secondsOf = new Map<string, number>()
  const lastWrite = lastWrites(manager)
  const left = [...scenarios]
  const runNext = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [name, play] = next
      const cluster = new Cluster(manager.url, name, missed, lastWrite)
      try {
        await cluster.create('v1/namespaces', { metadata: { name } })
        await cluster.has('v1/serviceaccounts', 'default', () => true)
        const begun = Date.now()
        await play(cluster)
        secondsOf.set(name, (Date.now() - begun) / 1000)
      } catch (error) {
        missed.push(`${name}: ${(error as Error).message}`)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, runNext))
  const seconds = (Date.now() - start) / 1000
  await quiet(manager)
  const objects = await allObjects(manager.url)
  const writes = manager.writes()
  stop.abort()
  await agent
  const cpuSeconds = manager.cpuSeconds()
  await manager.stop()
  if (log !== undefined) {
    writeFileSync(`${log}.log`, manager.output())
    writeFileSync(`${log}.json`, JSON.stringify({ objects, writes }, null, 1))
  }
  const names = [...scenarios.keys()]
  const outcomes = new Map(names.map((name) => [name, outcomeOf(objects, writes, name)]))
  const histories = new Map(names.map((name) => [name, historyOf(writes, name)]))
  return { outcomes, missed, seconds, secondsOf, cpuSeconds, histories }
}

/** When something was last written in a namespace, or to an object without one whose name begins with it; leases do not count. */
function lastWrites(manager: RunningManager): (namespace: string) => number {
  let seen = 0
  const last = new Map<string, number>()
  return (namespace) => {
    const writes = manager.writes()
    for (; seen < writes.length; seen += 1) {
      const write = writes[seen] as Write
      if (write.resource !== 'leases') last.set(write.namespace || write.name, write.at)
    }
    const mine = [...last].filter(([name]) => `${name}-`.startsWith(`${namespace}-`))
    return Math.max(0, ...mine.map(([, at]) => at))
  }
}

/** What a scenario sent, after how many seconds. */
function historyOf(writes: readonly Write[], scenario: string): readonly string[] {
  const own = writes.filter(
    ({ userAgent, namespace, name }) =>
      userAgent === 'scenario' && `${namespace || name}-`.startsWith(`${scenario}-`),
  )
  return own.map(({ at, verb, resource, name, status, body }) => {
    const since = ((at - (own[0]?.at ?? 0)) / 1000).toFixed(1)
    return `  ${since} s ${verb} ${resource} ${name} ${status} ${JSON.stringify(body)}`
  })
}

/** Waits until the start is over: the first service account is made, and neither the server nor the controller manager does much. */
async function started(manager: RunningManager): Promise<void> {
  const system = new Cluster(manager.url, 'kube-system')
  await system.has('v1/serviceaccounts', 'default', () => true)
  for (let before = -1; manager.allCpuSeconds() - before > 0.05; await sleep(1000)) {
    before = manager.allCpuSeconds()
  }
}

/** Waits until controllers wrote nothing but leases for some seconds. */
async function quiet(manager: RunningManager): Promise<void> {
  let before = -1
  for (let round = 0; round < 15; round += 1) {
    const now = manager
      .writes()
      .filter(({ resource }) => resource !== 'leases' && resource !== 'events').length
    if (now === before) return
    before = now
    await sleep(5000)
  }
}

/** Every object of every resource that can be listed. */
async function allObjects(url: string): Promise<readonly Any[]> {
  const read = async (path: string) => (await fetch(`${url}${path}`)).json()
  const { groups } = (await read('/apis')) as {
    groups: { preferredVersion: { groupVersion: string } }[]
  }
  const paths = [
    '/api/v1',
    ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`),
  ]
  const found: Any[] = []
  for (const path of paths) {
    if (path.includes('events.k8s.io')) continue
    const { resources } = (await read(path)) as {
      resources: { name: string; verbs: string[]; kind: string }[]
    }
    for (const { name, verbs, kind } of resources) {
      if (!verbs.includes('list')) continue
      const { items = [] } = (await read(`${path}/${name}`)) as { items?: Any[] }
      found.push(...items.map((one) => ({ ...one, kind })))
    }
  }
  return found
}

process.exitCode = await main()
