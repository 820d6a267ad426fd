/**
 * Compares the answers of two servers: `npm run compare -- --reference ORCHCONFIG`. A tool for those who work on orch: it needs
 * a running server that is right, so nothing that must pass everywhere runs it.
 */
import { writeFileSync } from 'node:fs'
import { compareClass, type FoundDifference, type Servers } from './compare-class.ts'
import { type CompareOptions, compareOptions, usage } from './options.ts'
import { ownServer, publicApi } from './own-server.ts'
import { reportOf } from './report.ts'
import type { ScenarioContext } from './scenario.ts'
import { serverAt } from './server.ts'

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
  const ours = server === undefined ? await ownServer() : await serverAt('ours', server)
  const servers = { ours, reference: await serverAt('reference', reference) }
  try {
    return await compareAll(servers, options)
  } finally {
    await Promise.all([servers.ours.close(), servers.reference.close()])
  }
}

async function compareAll(servers: Servers, options: CompareOptions): Promise<number> {
  const context: ScenarioContext = { api: await publicApi(), namespace: `compare-${process.pid}` }
  await inNamespace(servers, context.namespace)
  const all: FoundDifference[] = []
  for (const { name, prepare } of options.classes) {
    const started = Date.now()
    const { cases } = options
    const found = await compareClass(servers, {
      ...options,
      className: name,
      make: await prepare(context),
      progress: (done, news) => progress(name, done, cases, news),
    })
    all.push(...found)
    console.log(reportOf(name, cases, Date.now() - started, found))
  }
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(all, null, 2))
  return all.some(({ because }) => because === undefined) ? 1 : 0
}

/** Prints how far a class is, at every hundredth case. */
function progress(name: string, done: number, cases: number, news: number): void {
  if (done % 100 !== 0 && done !== cases) return
  const end = process.stderr.isTTY ? '\r' : '\n'
  process.stderr.write(`${name}: ${done} of ${cases}, ${news} new differences${end}`)
}

async function inNamespace({ ours, reference }: Servers, name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
  const steps = [{ method: 'POST', path: '/api/v1/namespaces', body }] as const
  for (const server of [ours, reference]) {
    const [answer] = await server.run(steps)
    if (answer?.status !== 201) throw new Error(`${server.name}: no namespace: ${answer?.text}`)
  }
}

process.exitCode = await main(process.argv.slice(2))
