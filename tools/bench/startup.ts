import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Report } from './report.ts'
import { median } from './servers.ts'

/** Within the package, whose name leads to itself here. */
const here = fileURLToPath(new URL('.', import.meta.url))

/** The packed program, which is what users start. */
const command = fileURLToPath(new URL('../../packed/orch-apiserver.js', import.meta.url))

/** The `orch` command. */
const orch = fileURLToPath(new URL('../orch/main.js', import.meta.url))

/** How long until the control plane is ready, in this process and as a program, and what it weighs idle. */
export async function bench(report: Report): Promise<void> {
  const bare = { name: 'a bare node:http server listening', value: await bareServer() }
  const imported = await timed(() => import('orch/testing'))
  const { startControlPlane } = imported.result
  report('import of the testing kit', imported.ms, 'ms')
  let whole = imported.ms
  for (const [name, socket, atMost] of [
    ['first control plane in this process', false, 300],
    ['second control plane', false, 50],
    ['first control plane with a socket', true, 300],
    ['second control plane with a socket', true, 50],
  ] as const) {
    const { result, ms } = await timed(() => startControlPlane({ socket }))
    report(name, ms, 'ms', bare, { atMost })
    await result.stop()
    if (whole === imported.ms) whole += ms
  }
  report('import and first control plane', whole, 'ms', undefined, { atMost: 300 })
  report('import of the package alone', importAlone('orch'), 'ms', undefined, { atMost: 50 })
  const node = { name: 'an empty node process', value: emptyProcess() }
  const { ms, rssMiB } = await daemon()
  report('orch-apiserver, from exec to ready', ms, 'ms', node, { atMost: 400 })
  report('orch-apiserver, resident when idle', rssMiB, 'MiB', undefined, { atMost: 150 })
  const { first, later } = await starts()
  report('orch up, the first time', first, 'ms', node, { atMost: 600 })
  report('orch up, again', later, 'ms', node, { atMost: 400 })
}

/** How often `orch up` is started with a new folder, and again with it. The medians count. */
const folders = 5

/** Milliseconds until `orch up` with TLS is ready: where it makes its keys, and where it has them. */
async function starts(): Promise<{ readonly first: number; readonly later: number }> {
  const times: [first: number[], later: number[]] = [[], []]
  for (let at = 0; at < folders; at++) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-startup-'))
    for (const of of times) of.push(await startOf(folder))
    await rm(folder, { recursive: true })
  }
  const [first, later] = times.map(median)
  return { first: first ?? Number.NaN, later: later ?? Number.NaN }
}

async function startOf(folder: string): Promise<number> {
  const args = [orch, 'up', '--port=0', `--data-dir=${folder}`]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const { ms } = await timed(async () => {
    for await (const line of lines) if (line.startsWith('ready')) break
  })
  child.kill()
  await once(child, 'close')
  return ms
}

/** A result, and the milliseconds until it was there. */
async function timed<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly ms: number }> {
  const began = performance.now()
  const result = await work()
  return { result, ms: performance.now() - began }
}

/** Milliseconds until a server without any handler listens. */
async function bareServer(): Promise<number> {
  const server = createServer()
  const { ms } = await timed(
    () => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)),
  )
  server.close()
  return ms
}

/** Milliseconds of a node process that does nothing. */
function emptyProcess(): number {
  const began = performance.now()
  spawnSync(process.execPath, ['-e', ''])
  return performance.now() - began
}

/** Milliseconds that a process spends on the import of a package. */
function importAlone(name: string): number {
  const program = `const began = performance.now(); import('${name}').then(() => console.log(performance.now() - began))`
  const { stdout } = spawnSync(process.execPath, ['-e', program], { cwd: here, encoding: 'utf8' })
  return Number(stdout)
}

/** Resident memory is read from Linux's process table; elsewhere it is not known. */
async function daemon(): Promise<{ readonly ms: number; readonly rssMiB: number }> {
  const child = spawn(process.execPath, [command, '--insecure-port=0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { ms } = await timed(
    () => new Promise<void>((resolve) => child.stdout.once('data', () => resolve())),
  )
  await new Promise((resolve) => setTimeout(resolve, 2000))
  const rssMiB = residentMiB(child.pid ?? 0)
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill()
  await ended
  return { ms, rssMiB }
}

/** NaN where the system has no such table. */
function residentMiB(pid: number): number {
  try {
    const [, kib = 'NaN'] =
      /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kib) / 1024
  } catch {
    return Number.NaN
  }
}
