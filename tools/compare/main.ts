/**
 * Compares the answers of two servers: `npm run compare -- --reference ORCHCONFIG`. A tool for those who work on orch: it needs
 * a running server that is right, so nothing that must pass everywhere runs it.
 */
import { writeFileSync } from 'node:fs'
import {
  type ClassCount,
  compareClass,
  type FoundDifference,
  type Servers,
} from './compare-class.ts'
import { type CompareOptions, compareOptions, usage } from './options.ts'
import { ownServer, protobufCodecOf, publicApi, publicScheme } from './own-server.ts'
import { type ClassReport, progressOf, reportOf, tableOf } from './report.ts'
import type { ScenarioContext, Step } from './scenario.ts'
import { serverAt } from './server.ts'

/** The exit code: 1 if a difference is unexplained, 2 if the command line is wrong. */
async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    console.log(usage())
    return 0
  }
  let options: CompareOptions
  try {
    options = compareOptions(args)
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage()}`)
    return 2
  }
  const { server, reference } = options
  const scheme = await publicScheme()
  const codec = await protobufCodecOf(scheme)
  const ours =
    server === undefined ? await ownServer(scheme, codec) : await serverAt('ours', server, codec)
  const servers = { ours, reference: await serverAt('reference', reference, codec) }
  try {
    return await compareAll(servers, options)
  } finally {
    await Promise.all([servers.ours.close(), servers.reference.close()])
  }
}

/** Runs the chosen classes one after the other, and reports them together. */
async function compareAll(servers: Servers, options: CompareOptions): Promise<number> {
  const context: ScenarioContext = { api: await publicApi(), namespace: `compare-${process.pid}` }
  await inNamespace(servers, context.namespace)
  const reports: ClassReport[] = []
  for (const { name, prepare, before, after } of options.classes) {
    const started = Date.now()
    const seconds = (): number => (Date.now() - started) / 1000
    await onBoth(servers, before?.(context))
    const make = await prepare(context)
    const progress = everySeconds(10, (count: ClassCount) =>
      console.error(progressOf(name, count, options.cases, seconds())),
    )
    const discovered = ({ index, signature }: FoundDifference): void =>
      console.error(`${name}: case ${index}: ${signature}`)
    const result = await compareClass(servers, {
      ...options,
      ...{ className: name, make, progress, discovered },
    })
    await onBoth(servers, after?.(context))
    reports.push({ name, result, seconds: seconds() })
    console.log(reportOf({ name, result, seconds: seconds() }))
  }
  console.log(`\n${tableOf(reports)}`)
  const all = reports.flatMap(({ result }) => result.found)
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(all, null, 2))
  return all.some(({ because }) => because === undefined) ? 1 : 0
}

/** What the scenarios of a class share has to be there on both servers. */
async function onBoth(
  { ours, reference }: Servers,
  steps: readonly Step[] | undefined,
): Promise<void> {
  if (steps !== undefined) await Promise.all([ours.run(steps), reference.run(steps)])
}

/** Calls `tell` at most once in so many seconds. */
function everySeconds<T>(seconds: number, tell: (value: T) => void): (value: T) => void {
  let last = Date.now()
  return (value) => {
    if (Date.now() - last < seconds * 1000) return
    last = Date.now()
    tell(value)
  }
}

/** Makes the namespace of a run on both servers. */
async function inNamespace({ ours, reference }: Servers, name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
  const steps = [{ method: 'POST', path: '/api/v1/namespaces', body }] as const
  for (const server of [ours, reference]) {
    const [answer] = await server.run(steps)
    if (answer?.status !== 201) throw new Error(`${server.name}: no namespace: ${answer?.text}`)
  }
}

process.exitCode = await main(process.argv.slice(2))
